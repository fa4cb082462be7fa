// One record: its features, its bytes on the wire, and the ways to others.

import { get } from "../api.mjs";
import { boxFeatures } from "./boxes.mjs";
import { data, failure, h, show } from "../dom.mjs";
import { bytes, count, value } from "../format.mjs";
import { filterOf, store } from "../state.mjs";
import { scrubber } from "./steps.mjs";
import { about, kindOf, picture } from "./values.mjs";
import { wire } from "./wire.mjs";

const MOST_VALUES = 12; // byte strings of one feature that are shown
const LARGE = ["image", "raster", "wave", "audio"];

export class RecordView {
  #place = document.querySelector("#record");
  #dataset;
  #shown = null;
  #abort = null;

  constructor(dataset) {
    this.#dataset = dataset;
  }

  /** Shows the record of a state. */
  async select(state) {
    this.#place.hidden = state.record === null;
    if (state.record === null) {
      this.#shown = null;
      return;
    }
    const question = JSON.stringify([state.record, filterOf(state)]);
    if (question === this.#shown) return;
    this.#shown = question;
    this.#abort?.abort();
    const abort = (this.#abort = new AbortController());
    try {
      const record = await get("record", { ordinal: state.record }, abort.signal);
      this.#show(record, state);
    } catch (error) {
      if (error.name !== "AbortError") this.#draw(state.record, failure(error));
    }
  }

  /** Goes to the previous, next or a random record that passes the filter. */
  async move(to) {
    const { record } = store.state;
    if (record === null) return;
    const seed = to === "random" ? Math.floor(Math.random() * 2 ** 31) : null;
    try {
      const { ordinal } = await get("locate", { filter: filterOf(store.state), from: record, to, seed });
      if (ordinal !== null) store.go({ record: ordinal, step: 0 });
      else this.#say(to === "previous" ? "This is the first record that passes." : "This is the last record that passes.");
    } catch (error) {
      this.#say(error.message);
    }
  }

  close() {
    store.go({ record: null, step: 0 });
  }

  #say(text) {
    const place = this.#place.querySelector(".said");
    if (place) place.textContent = text;
  }

  #draw(ordinal, ...children) {
    const focused = this.#place.contains(document.activeElement) ? document.activeElement.dataset.move : null;
    show(this.#place, this.#bar(ordinal), h("div", { class: "body-of-record", tabindex: 0, "aria-label": "the record", role: "region" }, children));
    if (focused) this.#place.querySelector(`[data-move="${focused}"]`)?.focus();
  }

  #show(record, state) {
    const boxes = boxFeatures(record.features.map((feature) => feature.name));
    const labels = labelsOf(record, boxes);
    const index = this.#dataset.index;
    const steps = Math.max(0, ...record.features.map((feature) => feature.steps ?? 0));
    const once = record.features.filter((feature) => feature.steps === null);
    const large = once.filter((feature) => LARGE.includes(kindOf(feature, record, index)));
    this.#draw(record.ordinal,
      h("p", { class: "place" }, data(record.shard.path), ` at byte ${count(record.offset)}, ${bytes(record.bytes)}`),
      record.error ? failure({ message: record.error, hint: "`ofindex verify` lists all that cannot be read" }) : null,
      large.length ? h("div", { class: "large" }, large.map((feature) => h("figure", { class: kindOf(feature, record, index) },
        picture(feature, record, index, { boxes, labels }), h("figcaption", {}, data(feature.name))))) : null,
      steps > 0 ? scrubber(record, steps, index, state.step) : null,
      once.length ? this.#features(record, once) : null,
      wire(record.ordinal));
  }

  #features(record, features) {
    return h("table", { class: "features" },
      h("caption", { class: "unseen" }, `features of record ${record.ordinal}`),
      h("thead", {}, h("tr", {}, ["feature", "holds", "values"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, features.map((feature) => h("tr", {}, h("th", { scope: "row" }, data(feature.name)),
        h("td", { class: "holds" }, about(feature)), h("td", {}, this.#values(feature, record))))));
  }

  #values(feature, record) {
    const kind = kindOf(feature, record, this.#dataset.index);
    if (feature.kind !== "bytes") {
      if (kind === "nothing") return "no value";
      const numbers = feature.values.slice(0, 64).map((one) => value(one)).join("  ");
      const left = Number(feature.count) - Math.min(64, feature.values.length);
      return h("p", { class: "numbers" }, numbers, left > 0 ? `  … ${count(left)} more` : "");
    }
    if (Number(feature.count) <= 1) return kind === "text" ? data(feature.text, { class: "text" }) : LARGE.includes(kind) ? "shown above" :
      picture(feature, record, this.#dataset.index);
    const several = Array.from({ length: Math.min(MOST_VALUES, Number(feature.count)) }, (_, place) =>
      h("li", { class: kind }, picture(feature, record, this.#dataset.index, { at: { index: place } })));
    const left = Number(feature.count) - several.length;
    return [h("ol", { class: "several", start: 0 }, several), left > 0 ? h("p", { class: "none" }, `${count(left)} more`) : null];
  }

  #bar(ordinal) {
    const button = (to, text, key) => h("button", { type: "button", "data-move": to, title: `${text} (${key})`, onclick: () => this.move(to) }, text);
    return h("div", { class: "bar-of-record" },
      h("button", { type: "button", "data-move": "close", title: "back to the grid (Escape)", onclick: () => this.close() }, "‹ Grid"),
      h("h2", {}, `Record ${count(ordinal)}`),
      h("div", { class: "moves", role: "group", "aria-label": "Other records" },
        button("previous", "Previous", "←"), button("next", "Next", "→"), button("random", "Random", "r")),
      this.#jump(), h("span", { class: "said", role: "status" }));
  }

  // A number or, if the index has keys, the value of a key.
  #jump() {
    const { keys, records } = this.#dataset;
    const key = h("select", { name: "key", "aria-label": "Jump by" }, ["number", ...keys].map((name) => h("option", { value: name }, name)));
    const input = h("input", { name: "to", size: 10, autocomplete: "off", "aria-label": keys.length ? "Number or key" : "Record number" });
    const jump = async (event) => {
      event.preventDefault();
      const text = input.value.trim();
      try {
        if (key.value === "number") {
          const number = Number(text.replaceAll(",", ""));
          if (!/^[\d,]+$/.test(text) || number >= Number(records)) throw new Error(`expected a number from 0 to ${count(Number(records) - 1)}`);
          store.go({ record: number, step: 0 });
        } else {
          const { ordinals } = await get("find", { key: key.value, value: text });
          if (ordinals.length === 0) throw new Error(`no record has this ${key.value}`);
          store.go({ record: Number(ordinals[0]), step: 0 });
        }
      } catch (error) {
        this.#say(error.message);
      }
    };
    return h("form", { class: "jump", onsubmit: jump }, keys.length ? key : null, input, h("button", {}, "Jump"));
  }
}

function labelsOf(record, boxes) {
  const feature = record.features.find((one) => one.name === boxes?.label);
  if (!feature) return [];
  return feature.kind === "bytes" ? [] : feature.values.map(String);
}
