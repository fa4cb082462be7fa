// Shows the value of a feature as what it is: a picture, a sound, a text, a raw array, a waveform or numbers.

import { address, getBytes } from "../api.mjs";
import { boxesOf, overlay } from "./boxes.mjs";
import { data, failure, h, show } from "../dom.mjs";
import { bytes, count, number } from "../format.mjs";
import { chosenShape, fills, guess, isPicture, raster, shapeOf } from "./raster.mjs";
import { wave } from "./wave.mjs";

const WAVE = 8; // numbers from which a list is drawn
const LONGEST_RASTER = 1 << 22;

/** What shows a feature of a record: "image", "audio", "text", "raster", "wave", "numbers", "bytes" or "nothing". */
export function kindOf(feature, record, index) {
  if (!feature || Number(feature.count) === 0) return "nothing";
  if (feature.kind === "bytes") {
    if (feature.media?.startsWith("image/")) return "image";
    if (feature.media?.startsWith("audio/")) return "audio";
    if (chosenOr(feature, record, index, false) !== null) return "raster";
    return typeof feature.text === "string" ? "text" : "bytes";
  }
  if (chosenOr(feature, record, index, true) !== null) return "raster";
  return amount(feature) >= WAVE ? "wave" : "numbers";
}

/** The number of values that a raster of the feature needs: bytes of a byte string, else numbers of a list or a step. */
export function amount(feature) {
  if (feature.kind === "bytes") return Math.round(Number(feature.bytes) / Math.max(1, Number(feature.count)));
  return feature.steps ? Math.round(Number(feature.count) / feature.steps) : Number(feature.count);
}

/** The shape as text that is offered for a feature: chosen before, or guessed; "" if it seems to be no picture. */
export function offeredShape(feature, record, index) {
  return chosenShape(index, feature.name) ?? guess(feature.name, amount(feature), sizesBeside(feature.name, record));
}

function chosenOr(feature, record, index, numbers) {
  if (amount(feature) > LONGEST_RASTER) return null;
  const chosen = chosenShape(index, feature.name);
  if (chosen === "none") return null;
  if (chosen === null) {
    if (typeof feature.text === "string") return null;
    if (numbers && !isPicture(feature.name, feature.values ?? [])) return null;
  }
  const shape = shapeOf(chosen ?? guess(feature.name, amount(feature), sizesBeside(feature.name, record)));
  return shape !== null && fills(shape, amount(feature)) ? shape : null;
}

/** The columns with the sizes of a picture: image/encoded goes with image/height and image/width. */
export function sizeColumns(name) {
  const around = name.slice(0, name.lastIndexOf("/") + 1);
  return [`${around}height`, `${around}width`];
}

function sizesBeside(name, record) {
  const [height, width] = sizeColumns(name).map((column) => record.columns?.[column]);
  return Number.isInteger(height) && Number.isInteger(width) ? { height, width } : null;
}

/** Makes the element of a feature. `at` is {index, step}: which value of the list, and which step. */
export function picture(feature, record, index, { boxes = null, labels = [], at = {} } = {}) {
  const label = `${feature.name} of record ${record.ordinal}`;
  const parameters = { ordinal: record.ordinal, feature: feature.name, index: at.index, step: at.step };
  switch (kindOf(feature, record, index)) {
    case "image": return image(label, parameters, boxesOf(record, boxes), labels);
    case "audio": return sound(label, parameters);
    case "raster": return drawn(feature, parameters, (values) =>
      raster(values, chosenOr(feature, record, index, feature.kind !== "bytes"), label));
    case "wave": return drawn(feature, parameters, (values) => wave(values, label));
    case "text": return text(feature, parameters);
    case "numbers": return drawn(feature, parameters, (values) =>
      h("p", { class: "numbers" }, Array.from(values, (one) => number(one, 7)).join("  ")));
    case "bytes": return h("p", { class: "none" }, `${bytes(amount(feature))} of data`);
    default: return h("p", { class: "none" }, "no value");
  }
}

function image(label, parameters, boxes, labels) {
  const element = h("img", { alt: label, decoding: "async", loading: "lazy", draggable: "false" });
  const frame = h("div", { class: "picture" }, element);
  element.addEventListener("error", () => show(frame, h("p", { class: "none" }, "not a picture that this browser decodes")));
  if (boxes.length > 0) frame.append(overlay(element, boxes, labels));
  element.src = address("value", parameters);
  return frame;
}

function sound(label, parameters) {
  return h("audio", { controls: true, preload: "none", "aria-label": label, src: address("value", parameters) });
}

// Values that came whole with the record are drawn at once, others when they have arrived.
function drawn(feature, parameters, draw) {
  if (feature.kind !== "bytes" && feature.whole && !feature.steps) return draw(feature.values);
  const place = h("div", { class: "later" });
  const path = feature.kind === "bytes" ? "value" : "numbers";
  getBytes(path, parameters).then((buffer) => show(place, draw(typed(buffer, feature))), (error) => show(place, failure(error)));
  return place;
}

function typed(buffer, feature) {
  if (feature.kind === "bytes") return new Uint8Array(buffer);
  return feature.kind === "float" ? new Float32Array(buffer) : new Float64Array(buffer);
}

function text(feature, parameters) {
  const element = data(feature.text, { class: "text" });
  if (parameters.index === undefined && parameters.step === undefined) return element;
  getBytes("value", parameters).then((buffer) => {
    element.textContent = new TextDecoder().decode(buffer.slice(0, 8000));
  }, (error) => element.replaceWith(failure(error)));
  return element;
}

/** Says how much a feature holds: "bytes, 1,067 B", "64 × int64", "3 steps, 30 × float". */
export function about(feature) {
  const steps = feature.steps === null ? "" : `${count(feature.steps)} steps, `;
  if (feature.kind === "bytes") {
    const media = feature.media && !feature.media.startsWith("text/") ? `${feature.media}, ` : "";
    return `${steps}${Number(feature.count) === 1 ? "" : count(feature.count) + " × "}${media}${bytes(feature.bytes)}`;
  }
  return `${steps}${count(feature.count)} × ${feature.kind}`;
}
