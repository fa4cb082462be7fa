// Copies what the page shows, as a command for a shell and as Python.

import { get } from "./api.mjs";
import { h, show } from "./dom.mjs";
import { filterOf, store } from "./state.mjs";

const NAMED_MS = 4000;
const EXAMPLE = "SELECT * FROM records LIMIT 10";
const BATCHES = 6; // of the shuffle that are shown

/** Makes the two buttons of the header copy. `views` are the grid and the shuffle that are shown. */
export function copyTools(dataset, views) {
  for (const [kind, written] of [["command", command], ["python", python]]) {
    document.querySelector(`#copy-${kind}`).addEventListener("click", async () => {
      const { state } = store;
      try {
        copy(written(dataset, state, await expression(state), views));
      } catch (error) {
        say(`Not copied: ${error.message}`);
      }
    });
  }
}

let known = { filter: null, sql: "" };

/** Keeps the SQL that the server wrote for a filter. */
export function learn(filter, sql) {
  known = { filter, sql };
}

// The server writes the SQL of a filter, so that it is the one that it evaluates.
async function expression(state) {
  const filter = filterOf(state);
  if (filter !== known.filter) learn(filter, (await get("counts", { filter, estimate: 1 })).sql);
  return known.sql;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    say(`Copied: ${text}`);
  } catch {
    offer(text);
  }
}

function say(text) {
  const status = document.querySelector("#copied");
  status.textContent = text;
  setTimeout(() => { if (status.textContent === text) status.textContent = ""; }, NAMED_MS);
}

// Browsers let only pages of HTTPS or of this machine use the clipboard: all others can only select the text.
function offer(text) {
  const dialog = document.querySelector("#copy");
  const box = h("textarea", { readonly: true, rows: Math.min(12, text.split("\n").length + 2), cols: 72, spellcheck: "false", "aria-labelledby": "copy-title" });
  box.value = text;
  show(dialog, h("h2", { id: "copy-title" }, "Press Ctrl+C to copy"), box, h("form", { method: "dialog" }, h("button", {}, "Close")));
  dialog.showModal();
  box.focus();
  box.select();
}

/** Quotes a word for sh. */
export function shellWord(text) {
  return /^[\w@%+=:,./-]+$/.test(text) && !text.startsWith("-") ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The command that does what a state shows. */
export function command(dataset, state, where, { grid, shuffle }) {
  const index = shellWord(dataset.index);
  if (state.view === "sql") return `ofindex sql ${index} ${shellWord(state.sql || EXAMPLE)}`;
  if (state.view === "shards") return `ofindex info ${index}`;
  if (state.view === "shuffle") {
    if (shuffle.command === null) throw new Error("the batches are not there yet");
    return shuffle.command;
  }
  if (state.record !== null) return `ofindex get ${index} ${state.record}`;
  if (where && state.order === "ordinal" && state.from === 0) return `ofindex where ${index} ${shellWord(where)}`;
  return `ofindex get ${index} ${ranges(grid.ordinals).join(" ")}`;
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

/** The Python that does what a state shows. */
export function python(dataset, state, where, { grid }) {
  const chosen = where ? `ds.where(${pythonText(where)})` : "ds";
  const does = () => {
    if (state.view === "sql") return `ds.sql(${pythonText(state.sql || EXAMPLE)})`;
    if (state.view === "shards") return "ds.shards";
    if (state.view === "shuffle") return sampled(state, chosen);
    if (state.record !== null) return `ds[${state.record}]`;
    if (state.order === "random") return `view = ds[[${grid.ordinals.join(", ")}]]`;
    return state.from > 0 ? `view = ${chosen}[${state.from}:${state.from + grid.ordinals.length}]` : `view = ${chosen}`;
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
