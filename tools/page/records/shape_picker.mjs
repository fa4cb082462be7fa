// Asks for the shape of a raw array, once for each feature of an index.

import { h } from "../dom.mjs";
import { chosenShape, fills, keepShape, shapeOf } from "./raster.mjs";
import { amount, offeredShape } from "./values.mjs";

/** Makes the field, or null for features that are shown without a shape. `onChoice()` follows a choice. */
export function shapePicker(index, name, sample, onChoice) {
  const feature = sample?.features.find((one) => one.name === name);
  if (!feature || feature.media?.startsWith("image/") || feature.media?.startsWith("audio/") || amount(feature) < 4) return null;
  if (feature.kind === "bytes" && typeof feature.text === "string" && chosenShape(index, name) === null) return null;
  const input = h("input", {
    class: "shape", size: 9, value: offeredShape(feature, sample, index), placeholder: "28x28", spellcheck: "false",
    title: "28x28, 8x8x3 or 3x8x8 draws a picture; none draws no picture; empty guesses",
    onchange: () => {
      const text = input.value.trim();
      const shape = shapeOf(text);
      const good = text === "" || text === "none" || (shape !== null && fills(shape, amount(feature)));
      input.setCustomValidity(good ? "" : `expected sizes like 28x28 or 3x8x8 whose product is ${amount(feature)}, none, or nothing`);
      if (!input.reportValidity()) return;
      keepShape(index, name, text);
      onChoice();
    },
  });
  return h("label", { class: "chooser" }, h("span", {}, "shape"), input);
}
