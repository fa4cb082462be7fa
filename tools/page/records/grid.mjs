// The records that pass, in pages: loads them, shows each as a tile or a row, and keeps the focus among them.

import { get } from "../api.mjs";
import { boxFeatures } from "./boxes.mjs";
import { data, failure, h, show } from "../dom.mjs";
import { value } from "../format.mjs";
import { link } from "./link.mjs";
import { roving } from "./roving.mjs";
import { filterOf, store } from "../state.mjs";
import { shapeFeatures } from "./stated_shape.mjs";
import { table, tableColumns } from "./table.mjs";
import { TABLE, Toolbar } from "./toolbar.mjs";
import { kindOf, picture } from "./values.mjs";

const PAGE = 60;
const BEST_FIRST = ["image", "raster", "audio", "wave", "text"];
const REST_MS = 60; // a hand that moves nothing for so long rests

export class Grid {
  #place = document.querySelector("#records");
  #dataset;
  #sample;
  #asked = "";
  #state = null; // that was asked for last
  #abort = null;
  #running = false; // a load
  #timer = null; // until the next load
  #focus = null; // the record that gets the focus once it is shown
  #body = h("div", { class: "grid" });
  #rove = roving(this.#body, (pages) => this.#turn(pages));
  #toolbar;
  #passing = 0;
  #ordinals = null;

  /** `sample` says how each feature is shown. */
  constructor(dataset, sample) {
    this.#dataset = dataset;
    this.#sample = sample;
    this.#toolbar = new Toolbar(dataset, sample, (pages) => this.#turn(pages));
    show(this.#place, this.#toolbar.element, this.#body);
  }

  /** The numbers of the records that the state asks for, or null while they are not there. */
  get ordinals() {
    return this.#ordinals;
  }

  /** The name of the feature that the grid shows, or "" for the table. */
  shown(state) {
    if (state.show === TABLE) return "";
    if (state.show && this.#dataset.features.some((feature) => feature.name === state.show)) return state.show;
    return this.#bestFeature();
  }

  /** Shows the records of a state, unless it does; then moves the focus to the record `focus`, if it passes. */
  select(state, focus = null) {
    if (focus !== null) this.#focus = focus;
    const question = JSON.stringify([filterOf(state), state.from, state.order, state.seed, this.shown(state), state.label, state.shapes]);
    if (question === this.#asked) {
      if (!this.#running && this.#timer === null) this.#land();
      return;
    }
    this.#asked = question;
    this.#state = state;
    this.#ordinals = null;
    // While a hand moves, a load is let finish, so that the grid follows; the newest state is next.
    if (this.#running) this.#hold();
    this.#timer ??= setTimeout(() => this.#load(), this.#running ? REST_MS : 0);
  }

  /** Ends what is still read. The next select() reads it again. */
  leave() {
    this.#hold();
    this.#abort?.abort();
    this.#running = false;
    this.#asked = "";
    this.#focus = null;
    this.#ordinals = null;
  }

  #hold() {
    clearTimeout(this.#timer);
    this.#timer = null;
  }

  #bestFeature() {
    const rank = (name) => BEST_FIRST.indexOf(this.#sample.kind(name));
    const isLong = (name) => this.#sample.of(name).some(({ feature }) => feature.text?.length > 24);
    const shown = this.#sample.names.filter((name) => rank(name) >= 0 && (this.#sample.kind(name) !== "text" || isLong(name)));
    return shown.sort((a, b) => rank(a) - rank(b))[0] ?? "";
  }

  async #load() {
    const state = this.#state;
    this.#timer = null;
    this.#running = true;
    this.#abort?.abort();
    const abort = (this.#abort = new AbortController());
    const shown = this.shown(state);
    const boxes = boxFeatures(this.#dataset.features.map((feature) => feature.name));
    const features = shown === "" ? [] : [...this.features(shown), ...(boxes?.sides ?? (boxes ? [boxes.whole] : []))];
    const columns = shown === "" ? tableColumns(this.#dataset).map(({ name }) => name) : [this.label(state)].filter(Boolean);
    this.#body.classList.add("waiting");
    try {
      const answer = await get("records", { filter: filterOf(state), from: state.from, count: PAGE, feature: features, column: columns,
        order: state.order, seed: state.order === "random" ? state.seed : null }, abort.signal);
      if (abort.signal.aborted) return;
      this.#running = false;
      this.#show(answer, state, { shown, boxes, signal: abort.signal });
    } catch (error) {
      if (abort.signal.aborted) return;
      this.#running = false;
      if (this.#timer !== null) return; // what failed is not asked for any more
      this.#asked = ""; // so that the same question can be asked again
      // A wrong WHERE is said next to the WHERE.
      this.#replace(error.status === 400 && state.where ? h("p", { class: "none" }, "No records: the filter cannot be evaluated.") :
        failure(error, () => this.select(store.state)));
    }
    this.#body.classList.remove("waiting");
  }

  #show({ records, passing, from }, state, drawing) {
    const { shown } = drawing;
    const label = this.label(state);
    this.#passing = Number(passing);
    this.#toolbar.update(state, { shown, label }, { from, count: records.length, passing: this.#passing });
    if (records.length === 0) this.#replace(h("p", { class: "none" }, "No record passes this filter."));
    else if (shown === "") this.#replace(table(this.#dataset, records));
    else this.#replace(h("ul", { class: "tiles" }, records.map((record) => this.#tile(record, drawing, label))));
    this.#body.scrollTop = 0;
    if (this.#timer !== null) return; // a newer state is next
    this.#ordinals = records.map((record) => Number(record.ordinal));
    this.#land();
  }

  // A focus within stays within, on the first record or the button of a failure: Page Down works again and again.
  #replace(content) {
    const focused = this.#body.contains(document.activeElement);
    show(this.#body, content);
    this.#rove.reset();
    if (focused) this.#body.querySelector("a.record, button")?.focus();
  }

  // Moves the focus to the record that was looked at; turns to its page if that is another.
  async #land() {
    const record = this.#focus;
    if (record === null) return;
    this.#focus = null;
    if (this.#rove.focus(record) || store.state.order !== "ordinal") return;
    const before = store.state;
    try {
      const { rank } = await get("locate", { filter: filterOf(before), from: record, to: "this" }, this.#abort?.signal);
      const from = rank === null ? before.from : Math.floor(Number(rank) / PAGE) * PAGE;
      if (store.state !== before || from === before.from) return;
      this.#focus = record;
      store.amend({ from });
    } catch {
      // the grid stays at its page
    }
  }

  #tile(record, { shown, boxes, signal }, label) {
    const feature = record.features.find((one) => one.name === shown);
    const what = record.error ? h("p", { class: "none", title: record.error }, "cannot be read") : picture(feature, record, { boxes, small: true, signal });
    const kind = record.error ? "error" : kindOf(feature, record);
    const caption = [h("span", { class: "ordinal" }, `#${record.ordinal}`), record.error ? h("span", { class: "bad", title: record.error }, " damaged") : "",
      label ? [" ", data(value(record.columns[label], 40))] : ""];
    return h("li", { class: `tile ${kind}` }, kind === "audio" ? what : h("span", { class: "what" }, what),
      link(record.ordinal, h("span", { class: "caption" }, caption), "cover"));
  }

  /** The features that a tile of `shown` needs: with those that state its shape. */
  features(shown) {
    const names = new Set(this.#dataset.features.map((feature) => feature.name));
    return [shown, ...shapeFeatures(shown).filter((name) => names.has(name))];
  }

  /** The column that is written under a tile, or "". */
  label(state) {
    const { columns } = this.#dataset;
    if (state.label) return columns.some((column) => column.name === state.label) ? state.label : "";
    const named = (pattern) => columns.find((column) => column.origin !== "length" && pattern.test(column.name))?.name;
    return named(/(^|[/_])(label|class|species|target|shape|category)$/i) ?? named(/label|class|task/i) ?? "";
  }

  #turn(pages) {
    const last = Math.floor(Math.max(0, this.#passing - 1) / PAGE) * PAGE;
    store.go({ from: Math.max(0, Math.min(last, store.state.from + pages * PAGE)) });
  }
}
