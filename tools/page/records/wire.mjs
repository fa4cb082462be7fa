// The bytes of a record with the names of their fields, read when they are asked for.

import { get } from "../api.mjs";
import { data, failure, h, show } from "../dom.mjs";
import { hex } from "../format.mjs";

/** Makes the section, which is closed until it is opened; it then stays open from record to record. */
export function wire(ordinal) {
  const place = h("div", { class: "wire-rows" });
  const details = h("details", { class: "wire", open: opened }, h("summary", {}, "Bytes on the wire"), place);
  const load = async () => {
    opened = details.open;
    if (!details.open || place.childElementCount > 0) return;
    try {
      show(place, table(await get("wire", { ordinal })));
    } catch (error) {
      show(place, failure(error));
    }
  };
  details.addEventListener("toggle", load);
  if (opened) load();
  return details;
}

let opened = false;

function table({ rows, whole }) {
  return [h("table", { class: "hexes" },
    h("caption", { class: "unseen" }, "bytes, and the fields that they encode"),
    h("thead", {}, h("tr", {}, ["offset", "bytes", "field"].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, rows.map((row) => {
      const what = h("td", { class: "field" }, row.field ? h("b", {}, data(row.field)) : null, row.field && row.what ? ": " : "", data(row.what ?? ""));
      what.style.setProperty("--depth", Math.min(row.depth, 12));
      return h("tr", {}, h("td", {}, hex(row.offset)), h("td", {}, spaced(row.bytes)), what);
    }))), whole ? null : h("p", { class: "none" }, "The rest is left out; `ofindex get --wire` prints all.")];
}

// "0af018" -> "0a f0 18", with a gap after eight bytes.
function spaced(bytes) {
  return bytes.replace(/../g, "$& ").replace(/^(.{24})(?=.)/, "$1 ").trimEnd();
}
