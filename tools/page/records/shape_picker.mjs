// Asks for the shape of a raw array, once for each feature; the address keeps it.

import { h } from "../dom.mjs";
import { fills, shapeOf } from "./raster.mjs";
import { changed, store } from "../state.mjs";
import { amount, chosenShape, offeredShape } from "./values.mjs";

/** Makes the field, or null for features that are shown without a shape. */
export function shapePicker(name, sample) {
  const [{ feature, record } = {}] = sample.of(name);
  if (!feature || feature.media?.startsWith("image/") || feature.media?.startsWith("audio/") || amount(feature) < 4) return null;
  if (feature.kind === "bytes" && typeof feature.text === "string" && chosenShape(name) === null) return null;
  const amounts = sample.amounts(name);
  const input = h("input", {
    class: "shape", size: 7, value: offeredShape(feature, record), placeholder: "28x28", spellcheck: "false",
    title: "28x28, 8x8x3 or 3x8x8 draws a picture; none draws no picture; empty guesses",
    onrefresh: () => { if (input !== document.activeElement) input.value = offeredShape(feature, record); },
    onchange: () => {
      const text = input.value.trim();
      const shape = shapeOf(text);
      const good = text === "" || text === "none" || (shape !== null && amounts.some((one) => fills(shape, one)));
      input.setCustomValidity(good ? "" :
        `expected sizes like 28x28 or 3x8x8 whose product is ${amounts.slice(0, 3).join(" or ")}, none, or nothing`);
      if (input.reportValidity()) store.go({ shapes: changed(store.state.shapes, name, text || null) });
    },
  });
  return h("label", { class: "chooser" }, h("span", {}, "shape"), input);
}
