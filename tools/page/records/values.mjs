// Shows the value of a feature as a picture, a sound, a text, a raw array, a waveform or numbers.

import { address, getBytes } from "../api.mjs";
import { boxesOf, overlay } from "./boxes.mjs";
import { data, failure, h, show } from "../dom.mjs";
import { bytes, count, counted, number } from "../format.mjs";
import { fills, guess, isPicture, raster, shapeOf } from "./raster.mjs";
import { statedShape } from "./stated_shape.mjs";
import { store } from "../state.mjs";
import { longText, saving } from "./text.mjs";
import { wave } from "./wave.mjs";

const WAVE = 8; // numbers from which a list is drawn
const LONGEST_RASTER = 1 << 22;

/** Returns how a feature of a record is shown: "image", "audio", "text", "raster", "wave", "numbers", "bytes" or "nothing". */
export function kindOf(feature, record) {
  if (!feature || Number(feature.count) === 0) return "nothing";
  if (feature.kind === "bytes") {
    if (feature.media?.startsWith("image/")) return "image";
    if (feature.media?.startsWith("audio/")) return "audio";
    if (drawnShape(feature, record) !== null) return "raster";
    return typeof feature.text === "string" || amount(feature) === 0 ? "text" : "bytes";
  }
  if (drawnShape(feature, record) !== null) return "raster";
  return amount(feature) >= WAVE ? "wave" : "numbers";
}

/** The number of values that a raster of the feature needs: bytes of a byte string, else numbers of a list or a step. */
export function amount(feature) {
  if (feature.kind === "bytes") return Math.round(Number(feature.bytes) / Math.max(1, Number(feature.count)));
  return Number(feature.count);
}

/** The shape that was chosen for a feature: text, "none", or null. */
export function chosenShape(name) {
  const { shapes } = store.state;
  return Object.hasOwn(shapes, name) ? shapes[name] : null;
}

/** The shape as text that is offered for a feature: chosen, stated or guessed; "" if it seems to be no picture. */
export function offeredShape(feature, record) {
  return chosenShape(feature.name) ?? (statedShape(feature.name, amount(feature), record) || guess(feature.name, amount(feature)));
}

function drawnShape(feature, record) {
  if (amount(feature) > LONGEST_RASTER) return null;
  const chosen = chosenShape(feature.name);
  if (chosen === "none") return null;
  if (chosen === null) {
    if (typeof feature.text === "string") return null;
    const stated = statedShape(feature.name, amount(feature), record);
    if (stated === "" && feature.kind !== "bytes" && !isPicture(feature.name, feature.values ?? [])) return null;
  }
  const shape = shapeOf(offeredShape(feature, record));
  return shape !== null && fills(shape, amount(feature)) ? shape : null;
}

/**
 * Makes the element of a feature. `at` is {index, step}: which value of the list, and which step. `labels`, a promise,
 * are those of the boxes. `small`: for a tile, without controls. What is not read yet when `signal` is aborted never is.
 */
export function picture(feature, record, { boxes = null, labels = null, at = {}, small = false, signal } = {}) {
  const label = `${feature?.name} of record ${record.ordinal}`;
  const parameters = { ordinal: record.ordinal, feature: feature?.name, index: at.index, step: at.step };
  switch (kindOf(feature, record)) {
    case "image": return image(label, parameters, boxesOf(record, boxes), labels, signal);
    case "audio": return sound(label, parameters);
    case "raster": return drawn(feature, parameters, signal, (values) => raster(values, drawnShape(feature, record), label));
    case "wave": return drawn(feature, parameters, signal, (values) => wave(values, label));
    case "text": return text(feature, parameters, small, signal);
    case "numbers": return drawn(feature, parameters, signal, (values) =>
      h("p", { class: "numbers" }, Array.from(values, (one) => number(one, 7)).join("  ")));
    case "bytes": return h("p", { class: "none" }, `${bytes(amount(feature))} of data `, small ? null : saving(parameters));
    default: return h("p", { class: "none" }, "no value");
  }
}

function image(label, parameters, boxes, labels, signal) {
  const element = h("img", { alt: label, decoding: "async", loading: "lazy", draggable: "false" });
  const frame = h("div", { class: "picture" }, element);
  element.addEventListener("error", () => read(element, frame, parameters, signal), { once: true });
  signal?.addEventListener("abort", () => { if (!element.complete) element.removeAttribute("src"); });
  if (boxes.length > 0) frame.append(overlay(element, boxes, labels));
  element.src = address("value", parameters);
  return frame;
}

// An image that failed says nothing of the reason. As bytes, it is waited for like any other answer.
async function read(element, frame, parameters, signal) {
  if (signal?.aborted) return;
  try {
    const source = URL.createObjectURL(new Blob([await getBytes("value", parameters, signal)]));
    const done = () => URL.revokeObjectURL(source);
    element.addEventListener("load", done, { once: true });
    element.addEventListener("error", () => {
      done();
      show(frame, h("p", { class: "none" }, "not a picture that this browser decodes"));
    }, { once: true });
    element.src = source;
  } catch (error) {
    if (!signal?.aborted) show(frame, failure(error));
  }
}

function sound(label, parameters) {
  return h("audio", { controls: true, preload: "none", "aria-label": label, src: address("value", parameters) });
}

// Values that came whole with the record are drawn at once, others when they have arrived.
function drawn(feature, parameters, signal, draw) {
  if (feature.kind !== "bytes" && feature.whole && !feature.steps) return draw(feature.values.map(Number));
  const place = h("div", { class: "later" });
  const path = feature.kind === "bytes" ? "value" : "numbers";
  const load = () => getBytes(path, parameters, signal).then((buffer) => {
    if (!signal?.aborted) show(place, draw(typed(buffer, feature)));
  }).catch((error) => {
    if (!signal?.aborted) show(place, failure(error, load));
  });
  load();
  return place;
}

function typed(buffer, feature) {
  if (feature.kind === "bytes") return new Uint8Array(buffer);
  return feature.kind === "float" ? new Float32Array(buffer) : new Float64Array(buffer);
}

function text(feature, parameters, small, signal) {
  const isFirst = !parameters.index && parameters.step === undefined;
  if (small) return feature.text ? data(feature.text, { class: "text" }) : h("span", { class: "null" }, "(empty)");
  const whole = feature.whole || (Number(feature.count) === 1 && amount(feature) === 0);
  const first = isFirst && Number(feature.count) === 1 ? feature.text ?? "" : null;
  return longText({ text: first, whole, size: feature.bytes }, parameters, signal);
}

/** Says how much a feature holds: "1,067 B", "64 × int64", "3 steps, 10 × float", "2 values, 14 B". */
export function about(feature) {
  const steps = feature.steps === null ? "" : `${counted(feature.steps, "step")}, `;
  if (feature.kind === "bytes") {
    const media = feature.media && !feature.media.startsWith("text/") ? `${feature.media}, ` : "";
    return `${steps}${Number(feature.count) === 1 ? "" : `${counted(feature.count, "value")}, `}${media}${bytes(feature.bytes)}`;
  }
  return `${steps}${count(feature.count)} × ${feature.kind}`;
}
