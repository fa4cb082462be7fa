// The keys of the whole page. Those of charts, grid and fields are theirs; no key works while a text is typed.

import { h, show } from "./dom.mjs";
import { store } from "./state.mjs";

const KEYS = [
  ["/", "type a WHERE"],
  ["1 2 3 4", "Explore, SQL, Shuffle, Shards"],
  ["← → ↑ ↓", "in the grid: from record to record; Enter opens"],
  ["Page Up, Page Down", "in the grid: other pages"],
  ["← →", "in a record: previous and next match"],
  ["r", "in a record: a random match"],
  ["Escape", "from a record back to the grid; on a chart: clear its range"],
  ["← → Page Home End", "on the edge of a range: move it"],
  ["Ctrl+Enter", "run the SQL"],
  ["?", "these keys"],
];

/** Listens for keys. `record` is the record view, `views` the names of the views in order. */
export function keys({ record, views }) {
  const dialog = document.querySelector("#keys");
  show(dialog, h("h2", { id: "keys-title" }, "Keys"),
    h("dl", {}, KEYS.map(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)])),
    h("form", { method: "dialog" }, h("button", {}, "Close")));
  document.querySelector("#help").addEventListener("click", () => dialog.showModal());
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
    if (isTyping(event.target)) return;
    if (onKey(event.key, event.target)) event.preventDefault();
  });

  function onKey(key, target) {
    if (key === "?") dialog.showModal();
    else if (key === "/") {
      if (document.querySelector("#filters").hidden) store.go({ view: "explore" });
      document.querySelector("#where").focus();
    } else if (key >= "1" && key <= String(views.length)) store.go({ view: views[key - 1], record: null });
    else if (store.state.view === "explore" && store.state.record !== null) return inRecord(key, target);
    else return false;
    return true;
  }

  function inRecord(key, target) {
    const moves = { ArrowLeft: "previous", ArrowRight: "next", r: "random" };
    if (key === "Escape") record.close();
    else if (Object.hasOwn(moves, key) && !target.matches("input, select, audio")) record.move(moves[key]);
    else return false;
    return true;
  }
}

function isTyping(target) {
  return target.matches("input:not([type=range]), textarea, select");
}
