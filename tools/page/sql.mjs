// A SELECT, and its result as a table, as a chart if one fits, and as CSV.

import { post } from "./api.mjs";
import { cell, data, download, failure, h, show } from "./dom.mjs";
import { count, counted } from "./format.mjs";
import { plot } from "./plot.mjs";
import { store } from "./state.mjs";

const ROWS = 1000;

export class SqlView {
  #dataset;
  #ran = null;
  #abort = null;
  #input = h("textarea", { id: "query", rows: 4, spellcheck: "false", autocapitalize: "off", "aria-label": "SQL",
    onkeydown: (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.#run(event);
    } });
  #said = h("p", { class: "said", role: "status" });
  #csv = h("button", { type: "button", disabled: true }, "Download CSV");
  #result = h("div", { class: "result", tabindex: 0, role: "region", "aria-label": "Result" });

  constructor(dataset) {
    this.#dataset = dataset;
    show(document.querySelector("#sql"),
      h("form", { class: "query", onsubmit: (event) => this.#run(event) }, this.#input,
        h("div", { class: "run" }, h("button", { class: "primary", title: "Ctrl+Enter" }, "Run"), this.#csv, this.#said)),
      this.#result);
  }

  /** Shows and runs the query of a state. */
  select({ sql }) {
    if (sql === this.#ran) return;
    this.leave();
    this.#input.value = sql || this.#example();
    if (sql) this.#ask(sql);
    else {
      this.#ran = "";
      this.#said.textContent = "";
      this.#csv.disabled = true;
      show(this.#result, h("p", { class: "none" }, "Ctrl+Enter runs it. Tables: records, shards, features, bad, damage."));
    }
  }

  /** Ends a query that runs. The next select() runs it again. */
  leave() {
    if (this.#abort === null) return;
    this.#abort.abort();
    this.#abort = null;
    this.#ran = null;
  }

  // Counts by the first column that has bars.
  #example() {
    const by = this.#dataset.columns.find((column) => column.chart === "bars" && column.origin === "feature");
    const name = by ? `"${by.name.replaceAll('"', '""')}"` : "_shard";
    return `SELECT ${name}, count(*) AS records\nFROM records GROUP BY 1 ORDER BY 1`;
  }

  #run(event) {
    event.preventDefault();
    const sql = this.#input.value.trim();
    if (!sql) return;
    if (sql === store.state.sql) this.#ask(sql);
    else store.go({ sql });
  }

  async #ask(sql) {
    this.#abort?.abort();
    this.#ran = sql;
    const abort = (this.#abort = new AbortController());
    this.#said.textContent = "running";
    this.#csv.disabled = true;
    try {
      const answer = await post("sql", { sql, limit: ROWS }, abort.signal);
      if (!abort.signal.aborted) this.#show(answer);
    } catch (error) {
      if (abort.signal.aborted) return;
      this.#said.textContent = "";
      show(this.#result, failure(error));
    } finally {
      if (this.#abort === abort) this.#abort = null;
    }
  }

  #show(answer) {
    const { columns, rows, truncated, milliseconds } = answer;
    this.#said.textContent = `${truncated ? "the first " : ""}${counted(rows.length, "row")} in ${count(Math.round(milliseconds))} ms`;
    this.#csv.disabled = false;
    this.#csv.onclick = () => download("result.csv", "text/csv", csv(answer));
    const numeric = columns.map((_, place) => rows.every((row) => row[place] === null || typeof row[place] === "number"));
    show(this.#result, plot(answer), h("table", { class: "rows" },
      h("thead", {}, h("tr", {}, columns.map((name, place) => h("th", { scope: "col", class: numeric[place] ? "number" : false }, data(name))))),
      h("tbody", {}, rows.map((row) => h("tr", {}, row.map((one, place) =>
        h("td", { class: numeric[place] ? "number" : false }, cell(one))))))));
  }
}

/** Writes a result as CSV (RFC 4180); NULL is empty. */
export function csv({ columns, rows }) {
  const cell = (one) => {
    const text = one === null ? "" : typeof one === "object" ? JSON.stringify(one) : String(one);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns, ...rows].map((row) => row.map(cell).join(",") + "\r\n").join("");
}
