// A chart of a result, if one fits: bars over the first column, of the second column's numbers.

import { data, h } from "./dom.mjs";
import { number, value } from "./format.mjs";

const MOST = 40;

/** Returns the chart of a result of SQL, or null: two columns or more, of which the second is numbers not below 0. */
export function plot({ columns, rows }) {
  if (columns.length < 2 || rows.length < 2 || rows.length > MOST) return null;
  const heights = rows.map((row) => row[1]);
  if (!heights.every((one) => one === null || (typeof one === "number" && one >= 0))) return null;
  const top = Math.max(...heights.map(Number));
  if (top <= 0 || new Set(rows.map((row) => row[0])).size !== rows.length) return null;
  return h("figure", { class: "plot-of-sql" },
    h("figcaption", {}, data(columns[1]), " by ", data(columns[0])),
    h("ol", {}, rows.map((row) => {
      const bar = h("li", {}, data(value(row[0], 40), { class: "label" }),
        h("span", { class: "length" }), h("span", { class: "count" }, row[1] === null ? "NULL" : number(row[1], 5)));
      bar.style.setProperty("--part", Number(row[1]) / top);
      return bar;
    })));
}
