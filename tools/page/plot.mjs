// A chart of a result, if one fits: bars over the first column, of the second column's numbers.

import { data, h } from "./dom.mjs";
import { number, value } from "./format.mjs";

const MOST = 40;

/** Returns the chart of a result of SQL, or null: two columns or more, of which the second is numbers. */
export function plot({ columns, rows }) {
  if (columns.length < 2 || rows.length < 2 || rows.length > MOST) return null;
  const heights = rows.map((row) => row[1]);
  if (!heights.every((one) => one === null || typeof one === "number")) return null;
  const [low, high] = [Math.min(0, ...heights.map(Number)), Math.max(0, ...heights.map(Number))];
  if (low === high || new Set(rows.map((row) => row[0])).size !== rows.length) return null;
  return h("figure", { class: "plot-of-sql" },
    h("figcaption", {}, data(columns[1]), " by ", data(columns[0])),
    h("ol", {}, rows.map((row) => {
      const bar = h("li", {}, data(value(row[0], 40), { class: "label" }),
        h("span", { class: "track" }, h("span", { class: "length" })), h("span", { class: "count" }, row[1] === null ? "NULL" : number(row[1], 5)));
      const height = Number(row[1]);
      bar.style.setProperty("--from", (Math.min(0, height) - low) / (high - low));
      bar.style.setProperty("--part", Math.abs(height) / (high - low));
      return bar;
    })));
}
