// Draws a list of numbers as a waveform: for each column of the picture, from its lowest to its highest value.

import { svg } from "../dom.mjs";
import { count, number } from "../format.mjs";

const COLUMNS = 240;

/** Makes the picture of `values`, at least one. */
export function wave(values, label) {
  const columns = Math.min(COLUMNS, values.length);
  const finite = Array.from(values, (one) => (Number.isFinite(Number(one)) ? Number(one) : 0));
  const low = finite.reduce((least, one) => Math.min(least, one), Infinity);
  const high = finite.reduce((most, one) => Math.max(most, one), -Infinity);
  const span = high - low || 1;
  const y = (value) => (1 - (value - low) / span).toFixed(4);
  const path = [];
  for (let column = 0; column < columns; ++column) {
    const begin = Math.floor((column * finite.length) / columns);
    const end = Math.max(begin + 1, Math.floor(((column + 1) * finite.length) / columns));
    const part = finite.slice(begin, end);
    path.push(`${column}.5 ${y(Math.max(...part))}`);
    if (part.length > 1) path.push(`${column}.5 ${y(Math.min(...part))}`);
  }
  const zero = low < 0 && high > 0 ? svg("path", { class: "zero", d: `M0 ${y(0)}H${columns}` }) : null;
  return svg("svg", {
    class: "wave", viewBox: `0 0 ${columns} 1`, preserveAspectRatio: "none", role: "img",
    "aria-label": `${label}: ${count(values.length)} values from ${number(low)} to ${number(high)}`,
  }, zero, svg("path", { d: columns === 1 ? `M0 ${y(finite[0])}H1` : `M${path.join("L")}` }));
}
