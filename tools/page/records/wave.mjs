// Draws a list of numbers as a waveform: for each column of the picture, from its lowest to its highest value. The line
// is broken where values are not finite.

import { h, svg } from "../dom.mjs";
import { count, counted, number } from "../format.mjs";

const COLUMNS = 240;

/** Makes the picture of `values`, at least one. */
export function wave(values, label) {
  const finite = values.filter(Number.isFinite);
  if (finite.length === 0) return h("p", { class: "none" }, `${counted(values.length, "value")}, none of them finite`);
  const low = finite.reduce((least, one) => Math.min(least, one), Infinity);
  const high = finite.reduce((most, one) => Math.max(most, one), -Infinity);
  const columns = Math.min(COLUMNS, values.length);
  const y = (value) => (1 - (value - low) / (high - low || 1)).toFixed(4);
  const zero = low < 0 && high > 0 ? svg("path", { class: "zero", d: `M0 ${y(0)}H${columns}` }) : null;
  const others = values.length - finite.length;
  return svg("svg", {
    class: "wave", viewBox: `0 0 ${columns} 1`, preserveAspectRatio: "none", role: "img",
    "aria-label": `${label}: ${counted(values.length, "value")} from ${number(low)} to ${number(high)}` +
      (others ? `, ${count(others)} of them not finite` : ""),
  }, zero, svg("path", { d: columns === 1 ? `M0 ${y(finite[0])}H1` : line(values, columns, y) }));
}

function line(values, columns, y) {
  const path = [];
  let move = true;
  for (let column = 0; column < columns; ++column) {
    const begin = Math.floor((column * values.length) / columns);
    const end = Math.max(begin + 1, Math.floor(((column + 1) * values.length) / columns));
    const part = values.slice(begin, end).filter(Number.isFinite);
    if (part.length === 0) {
      move = true;
      continue;
    }
    path.push(`${move ? "M" : "L"}${column}.5 ${y(Math.max(...part))}`);
    // A line to the same place shows a value between two gaps as a dot.
    if (move || part.length > 1) path.push(`L${column}.5 ${y(Math.min(...part))}`);
    move = false;
  }
  return path.join("");
}
