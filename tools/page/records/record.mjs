// One record: its features, its bytes on the wire, and the ways to others.

import { get, getBytes } from "../api.mjs";
import { boxFeatures } from "./boxes.mjs";
import { data, failure, h, show } from "../dom.mjs";
import { bytes, count, value } from "../format.mjs";
import { jumpForm } from "./jump.mjs";
import { filterOf, store } from "../state.mjs";
import { scrubber } from "./steps.mjs";
import { saving } from "./text.mjs";
import { about, kindOf, picture } from "./values.mjs";
import { wire } from "./wire.mjs";

const MOST_VALUES = 12; // byte strings of one feature that are shown
const MOST_LABELS = 32; // boxes of a picture with labels
const LARGE = ["image", "raster", "wave", "audio"];

export class RecordView {
  #place = document.querySelector("#record");
  #shown = null;
  #abort = null;
  #going = null;
  #title = h("h2", {});
  #said = h("span", { class: "said", role: "status" });
  #body = h("div", { class: "body-of-record", tabindex: 0, "aria-label": "the record", role: "region" });

  constructor(dataset) {
    const button = (to, text, key) => h("button", { type: "button", "data-move": to, title: `${text} (${key})`, onclick: () => this.move(to) }, text);
    show(this.#place, h("div", { class: "bar-of-record" },
      h("button", { type: "button", "data-move": "close", title: "back to the grid (Escape)", onclick: () => this.close() }, "‹ Grid"),
      this.#title,
      h("div", { class: "moves", role: "group", "aria-label": "Other records" },
        button("previous", "Previous match", "←"), button("next", "Next match", "→"), button("random", "Random match", "r")),
      jumpForm(dataset, this.#said), this.#said), this.#body);
    // An answer that comes after the page shows something else goes nowhere.
    store.onChange(() => this.#going?.abort());
  }

  /** Shows the record of a state, with the focus on Next if it was `opened` from the grid. */
  async select(state, opened) {
    this.#place.hidden = state.record === null;
    if (state.record === null) return this.leave();
    const question = JSON.stringify([state.record, filterOf(state), state.shapes]);
    if (question === this.#shown) return;
    this.#shown = question;
    this.#abort?.abort();
    const abort = (this.#abort = new AbortController());
    this.#title.textContent = `Record ${count(state.record)}`;
    show(this.#said);
    if (opened) this.#place.querySelector("[data-move=next]").focus();
    try {
      const record = await get("record", { ordinal: state.record }, abort.signal);
      if (!abort.signal.aborted) this.#show(record, state, abort.signal);
    } catch (error) {
      if (abort.signal.aborted) return;
      this.#shown = null;
      show(this.#body, failure(error, () => this.select(store.state, false)));
    }
  }

  /** Ends what is still read. The next select() reads it again. */
  leave() {
    this.#abort?.abort();
    this.#shown = null;
  }

  /** Goes to the previous, next or a random record that passes the filter, in the same entry of the history. */
  async move(to) {
    const { record } = store.state;
    if (record === null) return;
    this.#going?.abort();
    const going = (this.#going = new AbortController());
    const seed = to === "random" ? Math.floor(Math.random() * 2 ** 31) : null;
    try {
      const { ordinal } = await get("locate", { filter: filterOf(store.state), from: record, to, seed }, going.signal);
      if (going.signal.aborted) return;
      if (ordinal !== null) store.amend({ record: Number(ordinal), step: 0 });
      else show(this.#said, to === "previous" ? "This is the first match." : "This is the last match.");
    } catch (error) {
      if (!going.signal.aborted) show(this.#said, data(error.message));
    }
  }

  close() {
    store.go({ record: null, step: 0 });
  }

  #show(record, state, signal) {
    const boxes = boxFeatures(record.features.map((feature) => feature.name));
    const labels = labelsOf(record, boxes, signal);
    const steps = Math.max(0, ...record.features.map((feature) => feature.steps ?? 0));
    const once = record.features.filter((feature) => feature.steps === null);
    const large = once.filter((feature) => LARGE.includes(kindOf(feature, record)));
    show(this.#body,
      h("p", { class: "place" }, record.shard ? [data(record.shard.path), ` at byte ${count(record.offset)}, ${bytes(record.bytes)}`] : null),
      record.error ? failure({ message: record.error.replace(/: payload_crc$/, ": the checksum of its payload is wrong"), hint: "`ofindex verify` lists all that cannot be read" }) : null,
      large.length ? h("div", { class: "large" }, large.map((feature) => h("figure", { class: kindOf(feature, record) },
        picture(feature, record, { boxes, labels, signal }), h("figcaption", {}, data(feature.name))))) : null,
      steps > 0 ? scrubber(record, steps, state.step, signal) : null,
      once.length ? this.#features(record, once, signal) : null,
      wire(record.ordinal));
  }

  #features(record, features, signal) {
    return h("table", { class: "features" },
      h("caption", { class: "unseen" }, `features of record ${record.ordinal}`),
      h("thead", {}, h("tr", {}, ["feature", "holds", "values"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, features.map((feature) => h("tr", {}, h("th", { scope: "row" }, data(feature.name)),
        h("td", { class: "holds" }, about(feature)), h("td", {}, this.#values(feature, record, signal))))));
  }

  #values(feature, record, signal) {
    const kind = kindOf(feature, record);
    if (kind === "nothing") return h("span", { class: "null" }, "no value");
    if (feature.kind !== "bytes") {
      const numbers = feature.values.slice(0, 64).map((one) => value(one)).join("  ");
      const left = Number(feature.count) - Math.min(64, feature.values.length);
      return h("p", { class: "numbers" }, numbers, left > 0 ? `  … ${count(left)} more` : "");
    }
    if (Number(feature.count) === 1) {
      const parameters = { ordinal: record.ordinal, feature: feature.name };
      return LARGE.includes(kind) ? h("p", { class: "none" }, "shown above ", saving(parameters)) : picture(feature, record, { signal });
    }
    const several = Array.from({ length: Math.min(MOST_VALUES, Number(feature.count)) }, (_, index) =>
      h("li", { class: kind }, picture(feature, record, { at: { index }, signal })));
    const left = Number(feature.count) - several.length;
    return [h("ol", { class: "several", start: 0 }, several), left > 0 ? h("p", { class: "none" }, `${count(left)} more`) : null];
  }
}

// Reads the labels of the boxes: numbers come with the record, texts one by one.
async function labelsOf(record, boxes, signal) {
  const feature = record.features.find((one) => one.name === boxes?.label);
  if (!feature) return [];
  if (feature.kind !== "bytes") return (feature.values ?? []).map(String);
  const read = (index) => getBytes("value", { ordinal: record.ordinal, feature: feature.name, index }, signal);
  const texts = await Promise.allSettled(Array.from({ length: Math.min(MOST_LABELS, Number(feature.count)) }, (_, index) => read(index)));
  return texts.map((one) => (one.status === "fulfilled" ? new TextDecoder().decode(one.value.slice(0, 120)) : ""));
}
