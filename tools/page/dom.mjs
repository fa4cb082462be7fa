// Makes elements. Names and values from data go in as text nodes or attributes, never as markup.

import { value } from "./format.mjs";

const SVG = "http://www.w3.org/2000/svg";

/** Returns an HTML element. `properties`: on* are listeners, `class` and the rest are attributes; false leaves one out. */
export function h(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** Returns an SVG element, with the same arguments as h(). */
export function svg(tag, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Replaces what `element` shows. */
export function show(element, ...children) {
  element.replaceChildren(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
}

/** Sets an attribute only if it differs, so that screen readers and layout see changes alone. */
export function set(element, name, value) {
  if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

/** Sets the text only if it differs. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A text of the data, set apart from its surroundings so that its writing direction stays its own. */
export function data(text, properties = {}) {
  return h("bdi", properties, text);
}

/** A value of a table; NULL and the empty text look like no text of the data. */
export function cell(one, longest) {
  return one === null || one === undefined || one === "" ? h("span", { class: "null" }, value(one)) : data(value(one, longest));
}

/** An error: message, then hint, and a button if `again()` may help. */
export function failure(error, again = null) {
  return h("div", { class: "failure", role: "alert" },
    h("p", {}, data(error.message)),
    error.hint ? h("p", { class: "hint" }, data(error.hint)) : null,
    again ? h("button", { type: "button", onclick: again }, "Try again") : null);
}

/** Offers `text` as a file. */
export function download(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
