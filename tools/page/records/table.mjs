// Records as a table: a row for each, with its columns.

import { cell, data, h } from "../dom.mjs";
import { count } from "../format.mjs";
import { link } from "./link.mjs";

const MOST_COLUMNS = 24;

/** The columns of a dataset that the table has. */
export function tableColumns({ columns }) {
  return columns.filter((column) => column.origin !== "record").slice(0, MOST_COLUMNS);
}

/** Makes the table of records that were read with these columns. */
export function table(dataset, records) {
  const columns = tableColumns(dataset);
  const numeric = new Set(columns.filter((column) => column.type !== "TEXT").map((column) => column.name));
  return h("table", { class: "rows" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "number" }, "record"),
      columns.map((column) => h("th", { scope: "col", class: numeric.has(column.name) ? "number" : false }, data(column.name))))),
    h("tbody", {}, records.map((record) => h("tr", {},
      h("th", { scope: "row", class: "number" }, link(record.ordinal, count(record.ordinal))),
      columns.map(({ name }) => h("td", { class: numeric.has(name) ? "number" : false }, cell(record.columns[name], 60)))))));
}
