// The steps of a SequenceExample, one at a time, with a scrubber.

import { data, h, show } from "../dom.mjs";
import { count } from "../format.mjs";
import { store } from "../state.mjs";
import { kindOf, picture } from "./values.mjs";

/** Makes the scrubber of a record with `steps` steps, at step `begin`. Nothing is read once `signal` is aborted. */
export function scrubber(record, steps, begin, signal) {
  const features = record.features.filter((feature) => feature.steps !== null);
  const output = h("output", {});
  const frame = h("div", { class: "frame" });
  let drawing = null;
  signal.addEventListener("abort", () => drawing?.abort());
  const input = h("input", {
    type: "range", min: 0, max: steps - 1, value: Math.min(begin, steps - 1), "aria-label": "step",
    oninput: () => draw(), onchange: () => store.amend({ step: Number(input.value) }),
  });

  function draw() {
    const step = Number(input.value);
    drawing?.abort();
    drawing = new AbortController();
    output.textContent = `step ${count(step)} of ${count(steps)}`;
    show(frame, features.map((feature) => h("figure", { class: kindOf(feature, record) },
      step < feature.steps ? picture(feature, record, { at: { step, index: feature.kind === "bytes" ? 0 : undefined }, signal: drawing.signal }) :
        h("p", { class: "none" }, "no such step"),
      h("figcaption", {}, data(feature.name)))));
  }

  draw();
  return h("section", { class: "steps", "aria-label": "Steps" }, h("div", { class: "scrub" }, input, output), frame);
}
