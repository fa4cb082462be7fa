// The form that goes to a record: by its number or, if the index has keys, by the value of a key.

import { get } from "../api.mjs";
import { data, h, show } from "../dom.mjs";
import { count, counted } from "../format.mjs";
import { link } from "./link.mjs";
import { store, unfiltered } from "../state.mjs";

const LISTED = 8; // records of one key that are listed

/** Makes the form. `said` is the element that shows an error, or the records if a key has several. */
export function jumpForm({ keys, ordinals }, said) {
  const key = h("select", { name: "key", "aria-label": "Jump by" }, ["number", ...keys].map((name) => h("option", { value: name }, name)));
  const input = h("input", { name: "to", size: 10, autocomplete: "off", placeholder: keys.length ? "" : "record",
    "aria-label": keys.length ? "Number or key" : "Record number" });
  let asked = null;
  // An answer that comes after the page shows something else goes nowhere.
  store.onChange(() => asked?.abort());

  async function jump(event) {
    event.preventDefault();
    asked?.abort();
    const abort = (asked = new AbortController());
    const text = input.value.trim();
    show(said);
    try {
      if (key.value === "number") go(numbered(text, Number(ordinals)));
      else await find(key.value, text, abort.signal);
    } catch (error) {
      if (!abort.signal.aborted) show(said, data(error.message));
    }
  }

  async function find(name, value, signal) {
    const { ordinals: found, count: all, exact } = await get("find", { key: name, value }, signal);
    if (signal.aborted) return;
    // Only hashes of the values are known, and comparing so many records would take too long.
    if (!exact) throw new Error(`up to ${counted(all, "record")} may have this ${name}; enter a WHERE instead`);
    if (found.length === 0) throw new Error(`no record has this ${name}`);
    if (found.length === 1) go(Number(found[0]));
    else show(said, several(found, Number(all ?? found.length)));
  }

  return h("form", { class: "jump", onsubmit: jump }, keys.length ? key : null, input, h("button", {}, "Jump"));
}

function go(record) {
  store.go({ view: "explore", record, step: 0 });
}

function numbered(text, all) {
  const number = Number(text.replaceAll(",", ""));
  if (/^\d[\d,]*$/.test(text) && number < all) return number;
  throw new Error(all === 0 ? "there is no record" : `expected a number from 0 to ${count(all - 1)}`);
}

function several(found, all) {
  const where = `_id IN (${found.join(", ")})`;
  return [`${counted(all, "record")}: `, found.slice(0, LISTED).map((ordinal) => [link(ordinal, `#${ordinal}`), " "]),
    h("button", { type: "button", onclick: () => store.go({ ...unfiltered, view: "explore", record: null, where }) },
      all > found.length ? `Show the first ${count(found.length)} in the grid` : "Show in the grid")];
}
