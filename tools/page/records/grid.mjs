// The records that pass, in pages: as pictures, texts or waveforms of one feature, or as a table of columns.

import { get } from "../api.mjs";
import { boxFeatures } from "./boxes.mjs";
import { data, failure, h, say, show } from "../dom.mjs";
import { count, value } from "../format.mjs";
import { filterOf, format, store } from "../state.mjs";
import { shapePicker } from "./shape_picker.mjs";
import { kindOf, picture, sizeColumns } from "./values.mjs";

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
  #timer = 0;
  #body = h("div", { class: "grid" });
  #bar = h("div", { class: "bar-of-grid", role: "toolbar", "aria-label": "What the grid shows" });
  #pages = h("span", { class: "range" });
  #back = h("button", { type: "button", "aria-label": "previous page", onclick: () => this.#turn(-PAGE) }, "‹");
  #next = h("button", { type: "button", "aria-label": "next page", onclick: () => this.#turn(PAGE) }, "›");
  #passing = 0;

  /** `sample` is a record with all features, which says how each one is shown, or null if there is none. */
  constructor(dataset, sample) {
    this.#dataset = dataset;
    this.#sample = sample;
    this.#body.addEventListener("keydown", (event) => this.#onKey(event));
    show(this.#place, this.#bar, this.#body);
  }

  /** The name of the feature that the grid shows, or "" for the table. */
  shown(state) {
    if (state.show === TABLE) return "";
    if (state.show && this.#dataset.features.some((feature) => feature.name === state.show)) return state.show;
    return this.#bestFeature();
  }

  /** Shows the records of a state, unless it does. */
  select(state) {
    const question = JSON.stringify([filterOf(state), state.from, state.order, state.seed, this.shown(state), state.label]);
    if (question === this.#asked) return;
    this.#asked = question;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#load(state), this.#abort === null ? 0 : PAUSE_MS);
  }

  /** Draws the grid again, after another shape was chosen. */
  redraw() {
    this.#asked = "";
    this.select(store.state);
  }

  #bestFeature() {
    const features = this.#sample?.features ?? [];
    const rank = (feature) => BEST_FIRST.indexOf(kindOf(feature, this.#sample, this.#dataset.index));
    const shown = features.filter((feature) => rank(feature) >= 0);
    const longText = (feature) => rank(feature) !== BEST_FIRST.indexOf("text") || feature.text.length > 24;
    return shown.filter(longText).sort((a, b) => rank(a) - rank(b))[0]?.name ?? "";
  }

  async #load(state) {
    this.#abort?.abort();
    const abort = (this.#abort = new AbortController());
    const shown = this.shown(state);
    const boxes = boxFeatures(this.#dataset.features.map((feature) => feature.name));
    const features = shown === "" ? [] : [shown, ...(boxes?.sides ?? (boxes ? [boxes.whole] : []))];
    const columns = shown === "" ? this.#tableColumns().map(({ name }) => name) : this.#tileColumns(shown, this.#label(state));
    this.#body.classList.add("waiting");
    try {
      const answer = await get("records", { filter: filterOf(state), from: state.from, count: PAGE, feature: features, column: columns,
        order: state.order, seed: state.order === "random" ? state.seed : null }, abort.signal);
      this.#show(answer, state, shown, boxes);
    } catch (error) {
      if (error.name === "AbortError" || error.status === 409) return;
      // A wrong WHERE is said next to the WHERE.
      show(this.#body, error.status === 400 && state.where ? h("p", { class: "none" }, "No records: the filter cannot be evaluated.") : failure(error));
    }
    if (this.#abort === abort) this.#abort = null;
    this.#body.classList.remove("waiting");
  }

  #show(answer, state, shown, boxes) {
    this.#passing = Number(answer.passing);
    this.#controls(state, shown, answer);
    if (answer.records.length === 0) show(this.#body, h("p", { class: "none" }, "No record passes this filter."));
    else if (shown === "") show(this.#body, this.#table(answer.records));
    else {
      show(this.#body, h("ul", { class: "tiles" },
        answer.records.map((record) => this.#tile(record, shown, boxes, this.#label(state)))));
    }
    const links = this.#links();
    links.forEach((link, place) => (link.tabIndex = place === 0 ? 0 : -1));
    this.#body.scrollTop = 0;
  }

  #tile(record, shown, boxes, label) {
    const feature = record.features.find((one) => one.name === shown);
    const what = record.error ? h("p", { class: "none" }, data(record.error)) :
      picture(feature, record, this.#dataset.index, { boxes });
    const kind = record.error ? "error" : kindOf(feature, record, this.#dataset.index);
    const caption = [h("span", { class: "ordinal" }, `#${record.ordinal}`), label ? " " : "", label ? data(value(record.columns[label], 40)) : ""];
    return h("li", { class: `tile ${kind}` }, kind === "audio" ? what : h("span", { class: "what" }, what),
      link(record.ordinal, h("span", { class: "caption" }, caption), "cover"));
  }

  #label(state) {
    const { columns } = this.#dataset;
    if (state.label) return columns.some((column) => column.name === state.label) ? state.label : "";
    const named = (pattern) => columns.find((column) => column.origin !== "length" && pattern.test(column.name))?.name;
    return named(/(^|[/_])(label|class|species|target|shape|category)$/i) ?? named(/label|class|task/i) ?? "";
  }

  #tableColumns() {
    return this.#dataset.columns.filter((column) => column.origin !== "record").slice(0, MOST_COLUMNS);
  }

  // The label, and the sizes beside a picture.
  #tileColumns(shown, label) {
    const names = new Set([label, ...sizeColumns(shown)]);
    return this.#dataset.columns.map(({ name }) => name).filter((name) => names.has(name));
  }

  #table(records) {
    const columns = this.#tableColumns();
    const numeric = new Set(columns.filter((column) => column.type !== "TEXT").map((column) => column.name));
    return h("table", { class: "rows" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "number" }, "record"),
        columns.map((column) => h("th", { scope: "col", class: numeric.has(column.name) ? "number" : false }, data(column.name))))),
      h("tbody", {}, records.map((record) => h("tr", {},
        h("th", { scope: "row", class: "number" }, link(record.ordinal, count(record.ordinal))),
        columns.map(({ name }) => h("td", { class: numeric.has(name) ? "number" : false }, data(value(record.columns[name], 60))))))));
  }

  #controls(state, shown, answer) {
    const end = answer.from + answer.records.length;
    say(this.#pages, answer.records.length === 0 ? "none" : `${count(answer.from + 1)} – ${count(end)} of ${count(answer.passing)}`);
    this.#back.disabled = answer.from === 0;
    this.#next.disabled = end >= this.#passing;
    const key = JSON.stringify([state.order, shown, this.#label(state)]);
    if (this.#bar.dataset.key === key) return;
    this.#bar.dataset.key = key;
    const names = this.#dataset.features.map((feature) => feature.name);
    const labels = this.#dataset.columns.filter((column) => column.origin !== "record").map((column) => column.name);
    show(this.#bar,
      chooser("Show", [[TABLE, "table of columns"], ...names.map((name) => [name, name])], shown || TABLE, "show"),
      shown === "" ? null : chooser("label", [["(none)", "none"], ...labels.map((name) => [name, name])], this.#label(state) || "(none)", "label"),
      shown === "" ? null : shapePicker(this.#dataset.index, shown, this.#sample, () => this.redraw()),
      chooser("order", [["ordinal", "as stored"], ["random", "random"]], state.order, "order"),
      state.order === "random" ? h("button", { type: "button", onclick: () => store.go({ seed: store.state.seed + 1, from: 0 }) }, "others") : null,
      h("span", { class: "pages" }, this.#back, this.#pages, this.#next));
  }

  #turn(by) {
    const last = Math.floor(Math.max(0, this.#passing - 1) / PAGE) * PAGE;
    store.go({ from: Math.max(0, Math.min(last, store.state.from + by)) });
  }

  #links() {
    return [...this.#body.querySelectorAll("a.record")];
  }

  // The arrow keys go from record to record; Page Up and Page Down turn the page.
  #onKey(event) {
    const links = this.#links();
    const at = links.indexOf(document.activeElement);
    if (at < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
    const across = columnsOf(links);
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -across, ArrowDown: across, Home: -at, End: links.length - 1 - at };
    if (event.key === "PageDown" || event.key === "PageUp") this.#turn(event.key === "PageDown" ? PAGE : -PAGE);
    else if (Object.hasOwn(steps, event.key)) {
      const to = links[at + steps[event.key]];
      if (to === undefined) return;
      links[at].tabIndex = -1;
      to.tabIndex = 0;
      to.focus();
    } else return;
    event.preventDefault();
  }
}

function columnsOf(links) {
  const top = links[0].getBoundingClientRect().top;
  const next = links.findIndex((link) => Math.abs(link.getBoundingClientRect().top - top) > 2);
  return next < 0 ? links.length : next;
}

/** A link to the view of a record, in which the filter stays. */
export function link(ordinal, content, extra = "") {
  return h("a", {
    class: `record ${extra}`, href: format({ ...store.state, view: "explore", record: ordinal, step: 0 }),
    onclick: (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      store.go({ view: "explore", record: ordinal, step: 0 });
    },
  }, content);
}

function chooser(label, options, chosen, name) {
  return h("label", { class: "chooser" }, h("span", {}, label),
    h("select", { name, onchange: (event) => store.go({ [name]: event.target.value, from: 0 }) },
      options.map(([value_, text]) => h("option", { value: value_, selected: value_ === chosen }, text))));
}
