// The shape that other features of a record state for a raw array, by the rules of `ofindex report`: `shape`, or
// `height` and `width`, with `channels` or `depth`; those of the same folder first, then those without a folder.

import { fills, shapeOf } from "./raster.mjs";

const NAMES = ["shape", "height", "width", "channels", "depth"];
const SMALLEST = 4;

/** Returns the names of the features that may state the shape of `name`. */
export function shapeFeatures(name) {
  return folders(name).flatMap((folder) => NAMES.map((one) => folder + one)).filter((one) => one !== name);
}

/** Returns the shape of `count` values of the feature `name` as text, or "". */
export function statedShape(name, count, record) {
  if (count < SMALLEST) return "";
  for (const folder of folders(name)) {
    const [shape, height, width, channels, depth] = NAMES.map((one) => integers(record, folder + one));
    const sides = [shape, ...(height.length === 1 && width.length === 1 ?
      [[], channels, depth].map((third) => [...height, ...width, ...third]) : [])];
    for (const text of sides.map((one) => one.join("x"))) {
      const read = shapeOf(text);
      if (read !== null && !read.planar && fills(read, count)) return text;
    }
  }
  return "";
}

function folders(name) {
  return [...new Set([name.slice(0, name.lastIndexOf("/") + 1), ""])];
}

// An integer feature with at most three values; [] for all others.
function integers(record, name) {
  const feature = record.features.find((one) => one.name === name);
  const values = feature && ["int64", "int32"].includes(feature.kind) && feature.steps === null ? feature.values ?? [] : [];
  return values.length <= 3 && values.every(Number.isInteger) ? values : [];
}
