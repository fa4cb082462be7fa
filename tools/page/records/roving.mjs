// The arrow keys among the records of a grid: one of them is in the order of Tab, and the keys go to the others.

/** Follows the keys within `place`. `onTurn(1)` and `onTurn(-1)` follow Page Down and Page Up. Returns {reset, focus}. */
export function roving(place, onTurn = null) {
  const links = () => [...place.querySelectorAll("a.record")];

  function move(from, to) {
    if (to === undefined) return;
    if (from) from.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  }

  place.addEventListener("keydown", (event) => {
    const all = links();
    const at = all.indexOf(document.activeElement);
    if (at < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
    const across = columnsOf(all);
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -across, ArrowDown: across, Home: -at, End: all.length - 1 - at };
    if (onTurn && (event.key === "PageDown" || event.key === "PageUp")) onTurn(event.key === "PageDown" ? 1 : -1);
    else if (Object.hasOwn(steps, event.key)) move(all[at], all[at + steps[event.key]]);
    else return;
    event.preventDefault();
  });

  return {
    /** Puts the first record alone in the order of Tab, after others are shown. */
    reset() {
      links().forEach((link, index) => (link.tabIndex = index === 0 ? 0 : -1));
    },
    /** Moves the focus to a record; false if it is not shown. */
    focus(ordinal) {
      const all = links();
      const to = all.find((link) => link.dataset.record === String(ordinal));
      move(all.find((link) => link.tabIndex === 0), to);
      return to !== undefined;
    },
  };
}

function columnsOf(links) {
  const top = links[0].getBoundingClientRect().top;
  const next = links.findIndex((link) => Math.abs(link.getBoundingClientRect().top - top) > 2);
  return next < 0 ? links.length : next;
}
