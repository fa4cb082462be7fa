// Writes what the page shows as a command for a shell and as Python.

import { BATCHES } from "./state.mjs";

const EXAMPLE = "SELECT * FROM records LIMIT 10";

/** Quotes a word for sh. */
export function shellWord(text) {
  return /^[\w@%+=:,./-]+$/.test(text) && !text.startsWith("-") ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * The command that does what a state shows. `where` is its filter as SQL; `ordinals` are the records of the grid and
 * `batches` the command of the shuffle, or null while these are not there. Throws an Error if there is nothing to copy.
 */
export function command(dataset, state, where, { ordinals, batches }) {
  const index = shellWord(dataset.index);
  if (state.view === "sql") return `ofindex sql ${index} ${shellWord(state.sql || EXAMPLE)}`;
  if (state.view === "shards") return `ofindex info ${index}`;
  if (state.view === "shuffle") {
    if (batches === null) throw new Error("the batches are not there yet");
    return batches;
  }
  if (state.record !== null) return `ofindex get ${index} ${state.record}`;
  if (where && state.order === "ordinal" && state.from === 0) return `ofindex where ${index} ${shellWord(where)}`;
  return `ofindex get ${index} ${ranges(some(ordinals)).join(" ")}`;
}

// Without a number, a command or a list would mean all records, or an error.
function some(ordinals) {
  if (ordinals === null) throw new Error("the records are not there yet");
  if (ordinals.length === 0) throw new Error("no record passes the filter");
  return ordinals;
}

// [4, 5, 6, 9] -> ["4:7", "9"]
function ranges(ordinals) {
  const found = [];
  for (const ordinal of ordinals) {
    const last = found.at(-1);
    if (last?.end === ordinal) ++last.end;
    else found.push({ begin: ordinal, end: ordinal + 1 });
  }
  return found.map(({ begin, end }) => (end === begin + 1 ? `${begin}` : `${begin}:${end}`));
}

/** The Python that does what a state shows, of the same arguments. */
export function python(dataset, state, where, { ordinals }) {
  const chosen = where ? `ds.where(${pythonText(where)})` : "ds";
  const does = () => {
    if (state.view === "sql") return `ds.sql(${pythonText(state.sql || EXAMPLE)})`;
    if (state.view === "shards") return "ds.shards";
    if (state.view === "shuffle") return sampled(state, chosen);
    if (state.record !== null) return `ds[${state.record}]`;
    if (state.order === "random") return `view = ds[[${some(ordinals).join(", ")}]]`;
    return state.from > 0 ? `view = ${chosen}[${state.from}:${state.from + some(ordinals).length}]` : `view = ${chosen}`;
  };
  return `import ofindex\n\nds = ofindex.open(${pythonText(dataset.index)})\n${does()}\n`;
}

function sampled({ seed, epoch, block, batch, first }, chosen) {
  const options = [`seed=${seed}`, epoch > 0 && `epoch=${epoch}`, block !== "0" && `block=${block === "auto" ? '"auto"' : block}`];
  const [begin, end] = [first * batch, (first + BATCHES) * batch];
  return `view = ${chosen}\nrows = view.sampler(${options.filter(Boolean).join(", ")}).take(${end})${begin ? `[${begin}:]` : ""}\nview = view[rows]`;
}

// JSON's escapes are Python's, except for characters that JSON leaves in pairs of surrogates as they are.
const pythonText = (text) => JSON.stringify(text);
