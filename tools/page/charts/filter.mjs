// The filter in words: the WHERE, what the charts chose, and how many records pass.

import { data, failure, h, say, show } from "../dom.mjs";
import { count, counted, number, share, value } from "../format.mjs";
import { changed, store, unfiltered } from "../state.mjs";

export class FilterBar {
  #input = document.querySelector("#where");
  #error = document.querySelector("#where-error");
  #chips = document.querySelector("#chips");
  #passing = document.querySelector("#passing");

  constructor() {
    document.querySelector("#filter").addEventListener("submit", (event) => {
      event.preventDefault();
      store.go({ where: this.#input.value.trim() });
    });
    this.#input.addEventListener("change", () => store.go({ where: this.#input.value.trim() }));
  }

  select(state) {
    if (this.#input !== document.activeElement || state.where !== this.#input.value.trim()) this.#input.value = state.where;
    const chips = [
      ...Object.entries(state.ranges).map(([name, [lo, hi]]) =>
        chip(name, `${number(lo)} – ${number(hi)}`, { ranges: changed(state.ranges, name, null) })),
      ...Object.entries(state.values).map(([name, list]) =>
        chip(name, list.map((one) => value(one, 24)).join(", "), { values: changed(state.values, name, null) })),
      ...state.nulls.map((name) => chip(name, "NULL", { nulls: state.nulls.filter((other) => other !== name) })),
    ];
    if (chips.length + (state.where ? 1 : 0) > 1) {
      chips.push(h("button", { class: "chip all", type: "button",
        onclick: () => store.go(unfiltered) }, "clear all"));
    }
    show(this.#chips, chips);
  }

  /** Shows how many records pass: exactly, or as an estimate and of which share of the data. */
  update(answer) {
    show(this.#error);
    this.#passing.classList.toggle("estimate", !answer.exact);
    const about = answer.exact ? "" : "≈ ";
    say(this.#passing, answer.passing === answer.records ? `${about}${Number(answer.records) > 1 ? "all " : ""}${counted(answer.records, "record")}` :
      `${about}${count(answer.passing)} of ${counted(answer.records, "record")}, ${share(answer.passing, answer.records)}` +
      (answer.exact ? "" : ` (from ${share(answer.share, 1)} of the data)`));
  }

  fail(error) {
    show(this.#error, failure(error));
    say(this.#passing, "not counted");
  }
}

function chip(name, text, changes) {
  return h("button", { class: "chip", type: "button", title: "remove this filter", onclick: () => store.go(changes) },
    data(name, { class: "name" }), " ", data(text), h("span", { class: "cross", "aria-label": "remove" }, " ×"));
}
