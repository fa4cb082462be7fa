// Links to records.

import { h } from "../dom.mjs";
import { format, store } from "../state.mjs";

/** Makes a link to the view of a record, in which the filter stays. */
export function link(ordinal, content, extra = "") {
  const target = { view: "explore", record: Number(ordinal), step: 0 };
  return h("a", {
    class: `record ${extra}`, "data-record": ordinal, href: format({ ...store.state, ...target }),
    onclick: (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      store.go(target);
    },
  }, content);
}
