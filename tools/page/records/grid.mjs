// The records that pass, in pages: as pictures, texts or waveforms of one feature, or as a table of columns.

import { get } from "../api.mjs";
import { boxFeatures } from "./boxes.mjs";
import { cell, data, failure, h, say, show } from "../dom.mjs";
import { count, value } from "../format.mjs";
import { jumpForm } from "./jump.mjs";
import { link } from "./link.mjs";
import { roving } from "./roving.mjs";
import { filterOf, store } from "../state.mjs";
import { shapePicker } from "./shape_picker.mjs";
import { shapeFeatures } from "./stated_shape.mjs";
import { kindOf, picture } from "./values.mjs";

const PAGE = 60;
const MOST_COLUMNS = 24;
const TABLE = "(columns)";
const BEST_FIRST = ["image", "raster", "audio", "wave", "text"];
const PAUSE_MS = 60; // between pages while a brush moves

export class Grid {
  #place = document.querySelector("#records");
  #dataset;
  #sample;
  #asked = "";
  #abort = null;
  #loading = false;
  #timer = 0;
  #focus = null; // the record that gets the focus once it is shown
  #body = h("div", { class: "grid" });
  #rove = roving(this.#body, (pages) => this.#turn(pages * PAGE));
  #bar = h("div", { class: "bar-of-grid", role: "toolbar", "aria-label": "What the grid shows" });
  #pages = h("span", { class: "range" });
  #back = h("button", { type: "button", "aria-label": "previous page", onclick: () => this.#turn(-PAGE) }, "‹");
  #next = h("button", { type: "button", "aria-label": "next page", onclick: () => this.#turn(PAGE) }, "›");
  #passing = 0;
  #ordinals = [];
  #said = h("p", { class: "said", role: "status" });
  #jump;

  /** `sample` says how each feature is shown. */
  constructor(dataset, sample) {
    this.#dataset = dataset;
    this.#sample = sample;
    this.#jump = jumpForm(dataset, this.#said);
    show(this.#place, this.#bar, this.#body);
  }

  /** The numbers of the records that are shown. */
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
      if (!this.#loading) this.#land();
      return;
    }
    this.#asked = question;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#load(state), this.#loading ? PAUSE_MS : 0);
    this.#loading = true;
  }

  #bestFeature() {
    const rank = (name) => BEST_FIRST.indexOf(this.#sample.kind(name));
    const isLong = (name) => this.#sample.of(name).some(({ feature }) => feature.text?.length > 24);
    const shown = this.#sample.names.filter((name) => rank(name) >= 0 && (this.#sample.kind(name) !== "text" || isLong(name)));
    return shown.sort((a, b) => rank(a) - rank(b))[0] ?? "";
  }

  async #load(state) {
    this.#abort?.abort();
    const abort = (this.#abort = new AbortController());
    const shown = this.shown(state);
    const boxes = boxFeatures(this.#dataset.features.map((feature) => feature.name));
    const features = shown === "" ? [] : [...this.features(shown), ...(boxes?.sides ?? (boxes ? [boxes.whole] : []))];
    const columns = shown === "" ? this.#tableColumns().map(({ name }) => name) : [this.label(state)].filter(Boolean);
    this.#body.classList.add("waiting");
    try {
      const answer = await get("records", { filter: filterOf(state), from: state.from, count: PAGE, feature: features, column: columns,
        order: state.order, seed: state.order === "random" ? state.seed : null }, abort.signal);
      if (abort.signal.aborted) return;
      this.#loading = false;
      this.#show(answer, state, { shown, boxes, signal: abort.signal });
    } catch (error) {
      if (abort.signal.aborted) return;
      this.#loading = false;
      this.#asked = ""; // so that the same question can be asked again
      this.#ordinals = [];
      // A wrong WHERE is said next to the WHERE.
      show(this.#body, error.status === 400 && state.where ? h("p", { class: "none" }, "No records: the filter cannot be evaluated.") :
        failure(error, () => this.select(store.state)));
    }
    this.#body.classList.remove("waiting");
  }

  #show(answer, state, drawing) {
    const { shown } = drawing;
    this.#passing = Number(answer.passing);
    this.#ordinals = answer.records.map((record) => Number(record.ordinal));
    this.#controls(state, shown, answer);
    if (answer.records.length === 0) show(this.#body, h("p", { class: "none" }, "No record passes this filter."));
    else if (shown === "") show(this.#body, this.#table(answer.records));
    else {
      show(this.#body, h("ul", { class: "tiles" },
        answer.records.map((record) => this.#tile(record, drawing, this.label(state)))));
    }
    this.#rove.reset();
    this.#body.scrollTop = 0;
    this.#land();
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

  #tableColumns() {
    return this.#dataset.columns.filter((column) => column.origin !== "record").slice(0, MOST_COLUMNS);
  }

  #table(records) {
    const columns = this.#tableColumns();
    const numeric = new Set(columns.filter((column) => column.type !== "TEXT").map((column) => column.name));
    return h("table", { class: "rows" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "number" }, "record"),
        columns.map((column) => h("th", { scope: "col", class: numeric.has(column.name) ? "number" : false }, data(column.name))))),
      h("tbody", {}, records.map((record) => h("tr", {},
        h("th", { scope: "row", class: "number" }, link(record.ordinal, count(record.ordinal))),
        columns.map(({ name }) => h("td", { class: numeric.has(name) ? "number" : false }, cell(record.columns[name], 60)))))));
  }

  #controls(state, shown, answer) {
    const end = answer.from + answer.records.length;
    say(this.#pages, answer.records.length === 0 ? "none" : `${count(answer.from + 1)} – ${count(end)} of ${count(answer.passing)}`);
    this.#back.disabled = answer.from === 0;
    this.#next.disabled = end >= this.#passing;
    const key = JSON.stringify([state.order, shown, this.label(state)]);
    if (this.#bar.dataset.key === key) {
      this.#bar.querySelector(".shape")?.dispatchEvent(new Event("refresh"));
      return;
    }
    this.#bar.dataset.key = key;
    const names = this.#dataset.features.map((feature) => feature.name);
    const labels = this.#dataset.columns.filter((column) => column.origin !== "record").map((column) => column.name);
    show(this.#bar,
      chooser("Show", [[TABLE, "table of columns"], ...names.map((name) => [name, name])], shown || TABLE, "show"),
      shown === "" ? null : chooser("label", [["(none)", "none"], ...labels.map((name) => [name, name])], this.label(state) || "(none)", "label"),
      shown === "" ? null : shapePicker(shown, this.#sample),
      chooser("order", [["ordinal", "as stored"], ["random", "random"]], state.order, "order"),
      state.order === "random" ? h("button", { type: "button", onclick: () => store.go({ seed: store.state.seed + 1, from: 0 }) }, "reshuffle") : null,
      this.#jump, this.#said,
      h("span", { class: "pages" }, this.#back, this.#pages, this.#next));
  }

  #turn(by) {
    const last = Math.floor(Math.max(0, this.#passing - 1) / PAGE) * PAGE;
    store.go({ from: Math.max(0, Math.min(last, store.state.from + by)) });
  }
}

function chooser(label, options, chosen, name) {
  return h("label", { class: "chooser" }, h("span", {}, label),
    h("select", { name, onchange: (event) => store.go({ [name]: event.target.value, from: 0 }) },
      options.map(([value_, text]) => h("option", { value: value_, selected: value_ === chosen }, text))));
}
