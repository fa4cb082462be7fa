// The buttons that copy what the page shows: to the clipboard or, where that is refused, as a text that is selected.

import { get } from "./api.mjs";
import { command, python } from "./commands.mjs";
import { h, show } from "./dom.mjs";
import { filterOf, store } from "./state.mjs";

const NAMED_MS = 4000;

/** Makes the two buttons of the header copy what the page, with its grid and its shuffle, shows. */
export function copyTools(dataset, { grid, shuffle }) {
  for (const [kind, written] of [["command", command], ["python", python]]) {
    document.querySelector(`#copy-${kind}`).addEventListener("click", async () => {
      const { state } = store;
      const shown = { ordinals: grid.ordinals, batches: shuffle.command };
      try {
        copy(written(dataset, state, await expression(state), shown));
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

let silence = 0; // the timer that ends the message

function say(text) {
  const status = document.querySelector("#copied");
  status.textContent = text;
  clearTimeout(silence);
  silence = setTimeout(() => (status.textContent = ""), NAMED_MS);
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
