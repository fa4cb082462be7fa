// What is above the grid: the choice of what it shows and in which order, the jump to a record, and the pages.

import { h, say, show } from "../dom.mjs";
import { count } from "../format.mjs";
import { jumpForm } from "./jump.mjs";
import { shapePicker } from "./shape_picker.mjs";
import { store } from "../state.mjs";

/** The choice of the table in place of a feature. */
export const TABLE = "(columns)";

export class Toolbar {
  element = h("div", { class: "bar-of-grid", role: "toolbar", "aria-label": "What the grid shows" });
  #dataset;
  #sample;
  #made = "";
  #range = h("span", { class: "range" });
  #back;
  #next;
  #said = h("p", { class: "said", role: "status" });
  #jump;

  /** `onTurn(pages)` is called to turn by so many pages. */
  constructor(dataset, sample, onTurn) {
    this.#dataset = dataset;
    this.#sample = sample;
    this.#jump = jumpForm(dataset, this.#said);
    this.#back = h("button", { type: "button", "aria-label": "previous page", onclick: () => onTurn(-1) }, "‹");
    this.#next = h("button", { type: "button", "aria-label": "next page", onclick: () => onTurn(1) }, "›");
  }

  /** Shows the choices of a state, and which records are on the page: `count` from the place `from` of `passing`. */
  update(state, { shown, label }, { from, count: records, passing }) {
    const end = from + records;
    say(this.#range, records === 0 ? "none" : `${count(from + 1)} – ${count(end)} of ${count(passing)}`);
    this.#back.disabled = from === 0;
    this.#next.disabled = end >= passing;
    const key = JSON.stringify([state.order, shown, label]);
    if (key !== this.#made) show(this.element, this.#choices(state, shown, label), this.#jump, this.#said,
      h("span", { class: "pages" }, this.#back, this.#range, this.#next));
    else this.element.querySelector(".shape")?.dispatchEvent(new Event("refresh"));
    this.#made = key;
  }

  #choices({ order }, shown, label) {
    const names = this.#dataset.features.map((feature) => feature.name);
    const labels = this.#dataset.columns.filter((column) => column.origin !== "record").map((column) => column.name);
    return [
      chooser("Show", [[TABLE, "table of columns"], ...names.map((name) => [name, name])], shown || TABLE, "show"),
      shown === "" ? null : chooser("label", [["(none)", "none"], ...labels.map((name) => [name, name])], label || "(none)", "label"),
      shown === "" ? null : shapePicker(shown, this.#sample),
      chooser("order", [["ordinal", "as stored"], ["random", "random"]], order, "order"),
      order === "random" ? h("button", { type: "button", onclick: () => store.go({ seed: store.state.seed + 1, from: 0 }) }, "reshuffle") : null,
    ];
  }
}

function chooser(label, options, chosen, name) {
  return h("label", { class: "chooser" }, h("span", {}, label),
    h("select", { name, onchange: (event) => store.go({ [name]: event.target.value, from: 0 }) },
      options.map(([value, text]) => h("option", { value, selected: value === chosen }, text))));
}
