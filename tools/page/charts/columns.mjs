// The columns and their charts, which filter each other. Charts are made, and counted, once they are in sight.

import { get } from "../api.mjs";
import { bars } from "./bars.mjs";
import { data, failure, h, say, set, show } from "../dom.mjs";
import { count, value } from "../format.mjs";
import { histogram } from "./histogram.mjs";
import { changed, store } from "../state.mjs";

const ORIGINS = ["feature", "derived", "attached", "length", "record"];
const AT_ONCE = 24; // charts in one request
const PLACE = "record"; // the origin of _id, _shard, _offset and _length

export class Columns {
  #cards = new Map();
  #seen = new Set();
  #unmade = new Set();
  #onSight;
  #making = false;
  #fold;

  /** Fills `place`. `onSight()` is called when other charts are to be counted. */
  constructor(place, columns, onSight) {
    this.#onSight = onSight;
    const observer = new IntersectionObserver((entries) => this.#sight(entries), { root: place, rootMargin: "200px" });
    const card = (column) => {
      const made = new Card(column);
      this.#cards.set(column.name, made);
      made.element.dataset.column = column.name;
      if (column.chart !== "none") observer.observe(made.element);
      return made.element;
    };
    const ordered = [...columns].sort((a, b) => ORIGINS.indexOf(a.origin) - ORIGINS.indexOf(b.origin));
    const [own, places] = [false, true].map((wanted) => ordered.filter((column) => (column.origin === PLACE) === wanted));
    this.#fold = h("details", { class: "fold" }, h("summary", {}, data(places.map(({ name }) => name).join(", "))), places.map(card));
    show(place, own.map(card), places.length ? this.#fold : null);
  }

  /** The columns whose charts are in sight, to be counted. */
  get wanted() {
    return [...this.#seen].filter((name) => this.#cards.get(name).made);
  }

  /** Shows an answer of the server. */
  update(answer) {
    for (const column of answer.columns) this.#cards.get(column.name)?.update(column);
  }

  /** Shows the filter of a state: brushes and pressed bars. */
  select(state) {
    for (const card of this.#cards.values()) card.select(state);
    if (this.#fold.querySelector(".clear:not([hidden])")) this.#fold.open = true;
  }

  #sight(entries) {
    let newly = false;
    for (const entry of entries) {
      const name = entry.target.dataset.column;
      if (!entry.isIntersecting) this.#seen.delete(name);
      else if (!this.#seen.has(name)) {
        this.#seen.add(name);
        if (this.#cards.get(name).made) newly = true;
        else this.#unmade.add(name);
      }
    }
    if (newly) this.#onSight();
    this.#make();
  }

  async #make() {
    if (this.#making) return;
    this.#making = true;
    while (this.#unmade.size > 0) {
      const names = [...this.#unmade].slice(0, AT_ONCE);
      for (const name of names) this.#unmade.delete(name);
      try {
        const { charts } = await get("charts", { column: names });
        for (const chart of charts) this.#cards.get(chart.name)?.make(chart);
      } catch (error) {
        for (const name of names) this.#cards.get(name).fail(error, () => this.#again(name));
      }
      this.#onSight();
    }
    this.#making = false;
  }

  #again(name) {
    this.#unmade.add(name);
    this.#make();
  }
}

/** One column: its name, its type, its nulls, its chart. */
class Card {
  #column;
  #chart = null;
  #body;
  #constant;
  #nulls;
  #clear;
  #only; // the value of all records, for a column that has no other

  constructor(column) {
    this.#column = column;
    this.#body = h("div", { class: "chart", "data-kind": column.chart });
    this.#nulls = h("button", { class: "nulls", type: "button", "aria-pressed": "false", hidden: true,
      onclick: () => this.#choose(store.state.values[column.name] ?? [], !store.state.nulls.includes(column.name)) });
    this.#clear = h("button", { class: "clear", type: "button", hidden: true,
      "aria-label": `clear the filter of ${column.name}`, onclick: () => this.#choose([], false) }, "clear");
    this.#only = h("p", { class: "only", hidden: true });
    this.element = h("section", { class: "column", "aria-label": `column ${column.name}` },
      h("h2", {}, name(column.name)),
      h("p", { class: "about" }, this.#clear, this.#nulls,
        h("span", { class: "type" }, `${column.type.toLowerCase()}${column.list ? " list" : ""}`)),
      column.chart === "none" ? h("p", { class: "only" }, reasonFor(column)) : [this.#only, this.#body]);
  }

  get made() {
    return this.#chart !== null;
  }

  make(chart) {
    const { name } = this.#column;
    this.#constant = constantOf(chart, this.#column.type);
    if (chart.kind === "histogram") {
      if (chart.edges.length < 2) return show(this.#body, h("p", { class: "none" }, "no values"));
      const edges = chart.edges.map(Number);
      this.#chart = histogram({ name, edges }, (range, done) => {
        const { ranges, nulls } = store.state;
        const changes = { ranges: changed(ranges, name, range), nulls: nulls.filter((other) => other !== name) };
        if (done) store.go(changes);
        else store.slide(changes);
      });
    } else {
      this.#chart = bars({ ...chart, name }, (values, wantsNull) => this.#choose(values, wantsNull));
    }
    show(this.#body, this.#chart.element);
    this.select(store.state);
  }

  fail(error, again) {
    show(this.#body, failure(error, again));
  }

  // A column with one value in all records is a line, not a chart.
  #fold(total) {
    const others = [total.others, total.nulls, total.nans].map(Number);
    const only = this.#constant !== undefined && others.every((one) => one === 0) && this.#clear.hidden;
    this.#only.hidden = !only;
    this.#body.hidden = only;
    if (only) show(this.#only, "always ", data(value(this.#constant, 60)));
  }

  update(counts) {
    this.#chart?.update(counts);
    this.#fold(counts.total);
    const notNumbers = Number(counts.total.nans) ? `${count(counts.nans)} NaN` : "";
    const nulls = Number(counts.total.nulls) ? `${count(counts.nulls)} NULL` : "";
    say(this.#nulls, [nulls, notNumbers].filter(Boolean).join(", "));
    this.#nulls.hidden = this.#nulls.textContent === "" || this.#body.dataset.kind === "bars";
    this.#nulls.disabled = nulls === "";
  }

  select({ ranges, values, nulls }) {
    const { name } = this.#column;
    const range = Object.hasOwn(ranges, name) ? ranges[name] : undefined;
    const list = Object.hasOwn(values, name) ? values[name] : undefined;
    const wantsNull = nulls.includes(name);
    this.#clear.hidden = range === undefined && list === undefined && !wantsNull;
    set(this.#nulls, "aria-pressed", wantsNull);
    if (this.#body.dataset.kind === "histogram") this.#chart?.select(range);
    else this.#chart?.select(list, wantsNull);
  }

  #choose(list, wantsNull) {
    const { name } = this.#column;
    const { ranges, values, nulls } = store.state;
    const others = nulls.filter((other) => other !== name);
    store.go({
      ranges: changed(ranges, name, null),
      values: changed(values, name, list.length ? list : null),
      nulls: wantsNull ? [...others, name] : others,
    });
  }
}

// The value that all numbers of a chart have, or undefined: one bar, or one bin that holds one integer.
function constantOf(chart, type) {
  if (chart.kind === "bars") return chart.values.length === 1 ? chart.values[0] : undefined;
  const [low, high] = chart.edges.map(Number);
  return chart.edges.length === 2 && Number.isInteger(low) && high === low + 1 && type === "INTEGER" ? low : undefined;
}

function reasonFor({ list, type }) {
  if (list) return "lists of values: no chart";
  return type === "TEXT" || type === "BLOB" ? "nearly all values differ: no chart" : "no chart";
}

// A long name breaks between its words, so that image/object/bbox/xmin differs from image/object/bbox/xmax.
function name(text) {
  const leaf = text.lastIndexOf("/") + 1;
  return h("bdi", { class: "name", title: text },
    leaf ? h("span", { class: "path" }, words(text.slice(0, leaf))) : null, h("span", { class: "leaf" }, words(text.slice(leaf))));
}

function words(text) {
  return text.split(/(?<=[/_.])|(?=#)/).flatMap((word) => [h("wbr"), word]);
}
