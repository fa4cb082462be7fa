// What the page shows, as a command for a shell and as Python.

import { store } from "./state.mjs";

const NAMED_MS = 2000;

/** Makes the two buttons of the header copy. */
export function copyTools(dataset) {
  for (const [kind, written] of [["command", command], ["python", python]]) {
    document.querySelector(`#copy-${kind}`).addEventListener("click", () => {
      copy(written(dataset, store.state, whereOf(store.state)));
    });
  }
}

async function copy(text) {
  const status = document.querySelector("#copied");
  try {
    await navigator.clipboard.writeText(text);
    status.textContent = `Copied: ${text}`;
  } catch {
    status.textContent = `The browser refused to copy: ${text}`;
  }
  setTimeout(() => (status.textContent = ""), NAMED_MS * 2);
}

/** Quotes a word for sh. */
export function shellWord(text) {
  return /^[\w@%+=:,./-]+$/.test(text) && !text.startsWith("-") ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

const column = (name) => `"${name.replaceAll('"', '""')}"`;
const literal = (value) => (typeof value === "number" ? String(value) : `'${value.replaceAll("'", "''")}'`);

/** Writes a filter as one SQL expression, or "". */
export function whereOf({ where, ranges, values, nulls }) {
  const parts = Object.entries(ranges).map(([name, [lo, hi]]) =>
    `${column(name)} >= ${lo} AND ${column(name)} < ${hi}`);
  for (const name of new Set([...Object.keys(values), ...nulls])) {
    const list = Object.hasOwn(values, name) ? `${column(name)} IN (${values[name].map(literal).join(", ")})` : "";
    const none = nulls.includes(name) ? `${column(name)} IS NULL` : "";
    parts.push(list && none ? `(${list} OR ${none})` : list + none);
  }
  if (where) parts.unshift(parts.length ? `(${where})` : where);
  return parts.join(" AND ");
}

/** The command that does what a state shows. */
export function command(dataset, state, where) {
  const index = shellWord(dataset.index);
  if (state.view === "sql") return `ofindex sql ${index} ${shellWord(state.sql || "SELECT * FROM records LIMIT 10")}`;
  if (state.view === "shards") return `ofindex info ${index}`;
  if (state.view === "shuffle") return sample(index, state, where);
  if (state.record !== null) return `ofindex get ${index} ${state.record}`;
  return where ? `ofindex where ${index} ${shellWord(where)}` : `ofindex sql ${index} 'SELECT * FROM records LIMIT 60'`;
}

function sample(index, { seed, epoch, batch, first, block }, where) {
  const options = [where && `--where ${shellWord(where)}`, `--seed ${seed}`, epoch > 0 && `--epoch ${epoch}`,
    block !== "0" && `--block ${shellWord(block)}`, first > 0 && `--position ${first * batch}`, `-n ${batch}`];
  return `ofindex sample ${index} ${options.filter(Boolean).join(" ")}`;
}

/** The Python that does what a state shows. */
export function python(dataset, state, where) {
  const chosen = where ? `ds.where(${pythonText(where)})` : "ds";
  const does = () => {
    if (state.view === "sql") return `ds.sql(${pythonText(state.sql || "SELECT * FROM records LIMIT 10")})`;
    if (state.view === "shards") return "ds.shards";
    if (state.view === "shuffle") return `${chosen}.sampler(seed=${state.seed}).take(${state.batch})`;
    return state.record !== null ? `ds[${state.record}]` : `view = ${chosen}`;
  };
  return `import ofindex\n\nds = ofindex.open(${pythonText(dataset.index)})\n${does()}\n`;
}

// JSON's escapes are Python's, but for characters that JSON leaves in pairs of surrogates as they are.
const pythonText = (text) => JSON.stringify(text);
