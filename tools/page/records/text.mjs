// A text that may be long: as much as the server sent, a mark if it was cut, and ways to the whole.

import { address, getBytes } from "../api.mjs";
import { data, failure, h, show } from "../dom.mjs";
import { bytes, counted } from "../format.mjs";

const SHOWN = 2000; // characters at first
const MOST = 1 << 20; // characters that a page can bear

/**
 * Makes the element of one value of a bytes feature; `parameters` say which. `text` is its beginning, and `whole` whether
 * that is all; null: it is read first.
 */
export function longText({ text, whole, size }, parameters, signal) {
  const place = h("div", { class: "long" });
  if (text === null) read(place, parameters, SHOWN, signal);
  else show(place, body(text), whole ? null : cut(place, text.length, size, parameters, signal));
  return place;
}

async function read(place, parameters, most, signal) {
  try {
    const buffer = await getBytes("value", parameters, signal);
    const text = new TextDecoder().decode(buffer);
    const shown = text.slice(0, most);
    show(place, body(shown), shown.length < text.length ? cut(place, shown.length, buffer.byteLength, parameters, signal) : null);
  } catch (error) {
    if (!signal?.aborted) show(place, failure(error, () => read(place, parameters, most, signal)));
  }
}

function body(text) {
  return text === "" ? h("span", { class: "null" }, "(empty)") : data(text, { class: "text" });
}

function cut(place, shown, size, parameters, signal) {
  return h("p", { class: "cut" }, `… the first ${counted(shown, "character")} of ${bytes(size)} `,
    shown < MOST ? h("button", { type: "button", onclick: () => read(place, parameters, MOST, signal) }, "Show all") : null, " ",
    saving(parameters));
}

/** Makes a link that saves the whole value. */
export function saving(parameters) {
  const name = `${parameters.feature}-${parameters.ordinal}`.replaceAll(/[^\w.-]+/g, "_").slice(-80);
  return h("a", { class: "save", href: address("value", parameters), download: name }, "Download");
}
