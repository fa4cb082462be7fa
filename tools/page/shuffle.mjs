// The next batches of a sampler, as a training run would read them, and how well their order mixes a column.

import { get } from "./api.mjs";
import { data, failure, h, show } from "./dom.mjs";
import { count, counted, number, value } from "./format.mjs";
import { link } from "./records/link.mjs";
import { roving } from "./records/roving.mjs";
import { BATCHES, filterOf, LARGEST_BATCH, store } from "./state.mjs";
import { picture } from "./records/values.mjs";

export class ShuffleView {
  #grid;
  #asked = null;
  #abort = null;
  #form = h("form", { class: "sampler", onsubmit: (event) => event.preventDefault() });
  #quality = h("div", { class: "quality" });
  #batches = h("div", { class: "batches", tabindex: 0, role: "region", "aria-label": "Batches" });
  #rove = roving(this.#batches);
  #drawn = null;

  constructor(dataset, grid) {
    this.#grid = grid;
    const classes = dataset.columns.filter((column) => column.origin !== "record" && !column.list).map((column) => column.name);
    show(this.#form, field("seed", "seed", 0), field("epoch", "epoch", 0), field("batch", "batch size", 1, LARGEST_BATCH),
      field("first", "first batch", 0),
      choice("block", "shuffle", [["0", "whole epoch"], ["auto", "blocks, auto"], ["64", "blocks of 64"], ["1024", "blocks of 1,024"]]),
      choice("quality", "mixing report for", [["", "no column"], ...classes.map((name) => [name, name])]),
      h("button", { type: "button", onclick: () => store.go({ first: store.state.first + BATCHES }) }, "Next batches"));
    show(document.querySelector("#shuffle"), this.#form, this.#quality, this.#batches);
  }

  /** The command that prints the batches which are shown, or null while none are. */
  get command() {
    return this.#drawn;
  }

  /** Shows the batches of a state. */
  async select(state) {
    const { seed, epoch, batch, first, block, quality } = state;
    for (const input of this.#form.elements) if (input.name) input.value = state[input.name];
    const question = { filter: filterOf(state), seed, epoch, batch, from: first, count: BATCHES, block, quality: quality || null };
    const [shown, label] = [this.#grid.shown(state), this.#grid.label(state)];
    const key = JSON.stringify([question, shown, label, state.shapes]);
    if (key === this.#asked) return;
    this.#asked = key;
    this.#drawn = null;
    this.#quality.classList.toggle("wanted", quality !== ""); // keeps its place
    this.#abort?.abort();
    const abort = (this.#abort = new AbortController());
    try {
      const answer = await get("sampler", question, abort.signal);
      if (abort.signal.aborted) return;
      this.#drawn = answer.command;
      show(this.#quality, report(answer.quality, quality));
      this.#show(answer, first, { shown, label, signal: abort.signal });
    } catch (error) {
      if (abort.signal.aborted) return;
      this.#asked = null; // so that the same question can be asked again
      show(this.#quality);
      show(this.#batches, failure(error, () => this.select(store.state)));
    }
  }

  /** Ends what is still read. The next select() reads it again. */
  leave() {
    this.#abort?.abort();
    this.#asked = null;
    this.#drawn = null;
  }

  #show({ batches, epoch_batches: all }, first, drawing) {
    const { label } = drawing;
    const tiles = batches.map(() => new Map()); // of each batch, by record: a sampler may draw one several times
    show(this.#batches, batches.length === 0 ? h("p", { class: "none" }, `The epoch has ${counted(all, "batch", "batches")}.`) : null,
      batches.map((ordinals, place) => h("section", { class: "batch", "aria-label": `batch ${first + place}` },
        h("h2", {}, `batch ${count(first + place)}`, h("span", { class: "of" }, ` of ${count(all)}`)),
        h("ul", { class: "tiles small" }, ordinals.map((ordinal) => {
          const what = h("span", { class: "what" });
          const name = h("span", { class: "label" }, label ? "\u00a0" : "");
          tiles[place].set(ordinal, [...(tiles[place].get(ordinal) ?? []), { what, name }]);
          return h("li", { class: "tile", "data-ordinal": ordinal }, what,
            link(ordinal, h("span", { class: "caption" }, h("span", { class: "ordinal" }, `#${ordinal}`), name), "cover"));
        })))));
    this.#rove.reset();
    for (const batch of tiles) this.#fill(batch, drawing);
  }

  // Draws the records of a batch in its tiles.
  async #fill(tiles, { shown, label, signal }) {
    const feature = shown === "" ? [] : this.#grid.features(shown);
    try {
      const { records } = await get("records", { ordinal: [...tiles.keys()], feature, column: label || null }, signal);
      if (signal.aborted) return;
      for (const record of records) {
        const feature = record.features.find((one) => one.name === shown);
        for (const { what, name } of tiles.get(record.ordinal)) {
          if (label) show(name, data(value(record.columns[label], 40)));
          if (record.error) show(what, h("p", { class: "none", title: record.error }, "cannot be read"));
          else if (shown !== "") show(what, picture(feature, record, { small: true, signal }));
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      for (const { what } of [...tiles.values()].flat()) show(what, h("p", { class: "none" }, data(error.message)));
    }
  }
}

function field(name, label, min, max = 1e12) {
  return h("label", { class: "chooser" }, h("span", {}, label), h("input", { type: "number", name, min, max,
    onchange: (event) => { if (event.target.reportValidity() && event.target.value !== "") store.go({ [name]: Number(event.target.value) }); } }));
}

function choice(name, label, options) {
  return h("label", { class: "chooser" }, h("span", {}, label), h("select", { name, onchange: (event) => store.go({ [name]: event.target.value }) },
    options.map(([value, text]) => h("option", { value }, text))));
}

// The numbers of `ofindex sample --quality`, next to those of a perfect shuffle and of a buffer.
function report(quality, name) {
  if (!quality) return null;
  const row = (what, ...cells) => h("tr", {}, h("th", { scope: "row" }, what), cells.map((cell) => h("td", { class: "number" }, cell)));
  return h("table", { class: "rows" },
    h("caption", {}, "How this order mixes ", data(name), ` (${count(quality.classes)} values in ${count(quality.positions)} positions)`),
    h("thead", {}, h("tr", {}, h("td", {}), ["this order", "perfect shuffle", "buffer of 1,024"].map((title) => h("th", { scope: "col", class: "number" }, title)))),
    h("tbody", {},
      row(`values in a batch of ${count(quality.batch)}`, number(quality.classes_per_batch), number(quality.classes_per_batch_perfect), number(quality.classes_per_batch_buffer_1024)),
      row("equal neighbours (1 is sorted)", number(quality.neighbours), "0", "")));
}
