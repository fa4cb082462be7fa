// A histogram with a brush: drag a range, move or resize it, or move its edges with the arrow keys.

import { h, say, set, svg } from "../dom.mjs";
import { count, number } from "../format.mjs";

const PAGE = 10; // bins that Page Up and Page Down move an edge

/**
 * Makes the chart of `{name, edges}`. `onRange(range, done)` gets [lo, hi], edges of bins, or null for all;
 * done is false while the hand still moves.
 */
export function histogram({ name, edges }, onRange) {
  const bins = edges.length - 1;
  const all = svg("path", { class: "all" });
  const passing = svg("path", { class: "passing" });
  const outside = svg("path", { class: "outside" });
  const plot = svg("svg", { class: "plot", viewBox: `0 0 ${bins} 1`, preserveAspectRatio: "none", "aria-hidden": "true" },
    all, passing, outside);
  const readout = h("span", { class: "readout" });
  const axis = h("div", { class: "axis", "aria-hidden": "true" },
    h("span", {}, number(edges[0])), readout, h("span", {}, number(edges[bins])));
  let brush = [0, bins];
  let last = null;

  const handles = [0, 1].map((side) => h("div", {
    class: "handle", role: "slider", tabindex: 0, "aria-orientation": "horizontal",
    "aria-label": `${name}, ${side ? "upper" : "lower"} end of the range`,
    onkeydown: (event) => onKey(event, side),
    onkeyup: (event) => { if (keyTarget(event.key, side) !== null) report(true); },
    onpointerdown: (event) => begin(event, (at) => withEdge(side, at)),
  }));
  const element = h("div", { class: "histogram", role: "group", "aria-label": `histogram of ${name}` },
    h("div", { class: "field", onpointerdown: onField, onpointermove: onHover, onpointerleave: () => say(readout, "") },
      plot, handles), axis);
  draw();

  function withEdge(side, at) {
    return side === 0 ? [Math.min(at, brush[1] - 1), brush[1]] : [brush[0], Math.max(at, brush[0] + 1)];
  }

  function move(next) {
    if (next[0] === brush[0] && next[1] === brush[1]) return;
    brush = next;
    draw();
    report(false);
  }

  function report(done) {
    onRange(brush[0] === 0 && brush[1] === bins ? null : [edges[brush[0]], edges[brush[1]]], done);
  }

  // The new place of an edge under a key, or null for other keys.
  function keyTarget(key, side) {
    const at = brush[side];
    const places = { ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1,
      PageDown: at - PAGE, PageUp: at + PAGE, Home: 0, End: bins };
    return Object.hasOwn(places, key) ? Math.max(0, Math.min(bins, places[key])) : null;
  }

  function onKey(event, side) {
    if (event.key === "Escape" && (brush[0] !== 0 || brush[1] !== bins)) {
      event.stopPropagation();
      move([0, bins]);
      report(true);
      return;
    }
    const at = keyTarget(event.key, side);
    if (at === null) return;
    event.preventDefault();
    event.stopPropagation();
    move(withEdge(side, at));
  }

  function place(event) {
    const box = plot.getBoundingClientRect();
    return ((event.clientX - box.left) / box.width) * bins;
  }

  const inside = (bin) => Math.max(0, Math.min(bins - 1, Math.floor(bin)));

  function onField(event) {
    if (event.button !== 0 || event.target.classList.contains("handle")) return;
    const start = inside(place(event));
    const [lo, hi] = brush;
    const whole = lo === 0 && hi === bins;
    if (!whole && start >= lo && start < hi) {
      begin(event, (_, bin) => {
        const by = Math.max(-lo, Math.min(bins - hi, bin - start));
        return [lo + by, hi + by];
      });
      return;
    }
    begin(event, (_, bin) => [Math.min(start, bin), Math.max(start, bin) + 1]);
    move([start, start + 1]);
  }

  // Follows the pointer until it is released; `next(edge, bin)` is the brush for its place.
  function begin(event, next) {
    event.preventDefault();
    event.stopPropagation();
    const target = event.currentTarget;
    target.setPointerCapture(event.pointerId);
    const onMove = (moved) => move(next(Math.max(0, Math.min(bins, Math.round(place(moved)))), inside(place(moved))));
    const onEnd = () => {
      target.removeEventListener("pointermove", onMove);
      report(true);
    };
    target.addEventListener("pointermove", onMove);
    target.addEventListener("pointerup", onEnd, { once: true });
    target.addEventListener("pointercancel", onEnd, { once: true });
  }

  function onHover(event) {
    if (last === null) return;
    const bin = inside(place(event));
    say(readout, `${number(edges[bin])} – ${number(edges[bin + 1])}: ${count(last.bins[bin])} of ${count(last.total.bins[bin])}`);
  }

  function draw() {
    const [lo, hi] = brush;
    set(outside, "d", `M0 0H${lo}V1H0ZM${hi} 0H${bins}V1H${hi}Z`);
    for (const side of [0, 1]) {
      const handle = handles[side];
      handle.style.setProperty("--at", brush[side] / bins);
      set(handle, "aria-valuemin", edges[0]);
      set(handle, "aria-valuemax", edges[bins]);
      set(handle, "aria-valuenow", edges[brush[side]]);
      set(handle, "aria-valuetext", number(edges[brush[side]]));
    }
    element.classList.toggle("brushed", lo !== 0 || hi !== bins);
  }

  return {
    element,
    /** Shows the counts of an answer. */
    update(counts) {
      last = counts;
      const [whole, part] = [shares(counts.total.bins), shares(counts.bins)];
      const top = Math.max(...whole, ...part) || 1;
      set(all, "d", steps(whole, top));
      set(passing, "d", steps(part, top));
    },
    /** Moves the brush to a range of the address, or away. */
    select(range) {
      const next = range === undefined ? [0, bins] : [nearest(edges, range[0]), nearest(edges, range[1])];
      if (next[0] >= next[1]) next[1] = Math.min(bins, next[0] + 1);
      brush = next[0] === next[1] ? [next[0] - 1, next[1]] : next;
      draw();
    },
  };
}

// Bars are shares of their own sum: where the filter is rarer or commoner than all, the two differ.
function shares(bins) {
  const sum = bins.reduce((total, bin) => total + Number(bin), 0);
  return bins.map((bin) => (sum === 0 ? 0 : Number(bin) / sum));
}

function steps(heights, top) {
  return `M0 1${heights.map((height, bin) => `V${(1 - height / top).toFixed(4)}H${bin + 1}`).join("")}V1Z`;
}

function nearest(edges, value) {
  let best = 0;
  edges.forEach((edge, place) => {
    if (Math.abs(edge - value) < Math.abs(edges[best] - value)) best = place;
  });
  return best;
}
