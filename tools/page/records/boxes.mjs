// Bounding boxes over a picture, from features such as image/object/bbox/xmin, or `bbox` as ymin, xmin, ymax, xmax.

import { svg } from "../dom.mjs";
import { counted } from "../format.mjs";

const SIDES = ["xmin", "ymin", "xmax", "ymax"];
const LABEL = /(class|label|categor|name)/i;

/** The names, among `names`, of features that boxes and their labels come from. */
export function boxFeatures(names) {
  const corner = names.find((name) => /(^|[/_.])xmin$/.test(name));
  if (corner !== undefined) {
    const stem = corner.slice(0, -4);
    const four = SIDES.map((side) => stem + side);
    if (four.every((name) => names.includes(name))) return { sides: four, label: labelBeside(names, stem) };
  }
  const whole = names.find((name) => /(^|[/_.])bbox$/.test(name));
  return whole === undefined ? null : { whole, label: labelBeside(names, whole.replace(/bbox$/, "")) };
}

// image/object/bbox/xmin goes with image/object/class/text, else image/object/class/label.
function labelBeside(names, stem) {
  const around = stem.replace(/bbox[/_.]?$/, "");
  const near = around === "" ? [] : names.filter((name) => name.startsWith(around) && LABEL.test(name.slice(around.length)));
  return near.find((name) => name.endsWith("text")) ?? near[0] ?? null;
}

/** Reads the boxes of a record: [[xmin, ymin, xmax, ymax], ...]. Those with numbers that are not finite are left out. */
export function boxesOf(record, wanted) {
  if (wanted === null) return [];
  const values = (name) => record.features.find((feature) => feature.name === name)?.values ?? [];
  const boxes = wanted.sides ? transposed(wanted.sides.map(values)) : inFours(values(wanted.whole));
  return boxes.filter((box) => box.every((side) => Number.isFinite(side)));
}

function transposed(sides) {
  return Array.from({ length: Math.min(...sides.map((side) => side.length)) }, (_, box) => sides.map((side) => side[box]));
}

function inFours(values) {
  return Array.from({ length: Math.floor(values.length / 4) }, (_, box) => {
    const [ymin, xmin, ymax, xmax] = values.slice(box * 4, box * 4 + 4);
    return [xmin, ymin, xmax, ymax];
  });
}

/** Draws boxes over `picture`, once its size is known. Sides up to 1 are parts of the picture, others are pixels. */
export function overlay(picture, boxes, labels = null) {
  const drawing = svg("svg", { class: "boxes", preserveAspectRatio: "xMidYMid meet", role: "img" });
  let names = [];
  const draw = () => {
    const { naturalWidth: width, naturalHeight: height } = picture;
    drawing.setAttribute("aria-label", counted(boxes.length, "box", "boxes") + (names.length ? `: ${names.join(", ")}` : ""));
    if (width === 0) return;
    const parts = boxes.every((box) => box.every((side) => side <= 1.001));
    const [sx, sy] = parts ? [width, height] : [1, 1];
    drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    drawing.replaceChildren(...boxes.flatMap(([xmin, ymin, xmax, ymax], place) => {
      const [x, y, w, h] = [xmin * sx, ymin * sy, Math.max(0, xmax - xmin) * sx, Math.max(0, ymax - ymin) * sy];
      return [svg("rect", { x, y, width: w, height: h, class: "under" }), svg("rect", { x, y, width: w, height: h }),
        names[place] ? label(names[place], x, y, y < height / 8, boxes.slice(0, place)) : null].filter(Boolean);
    }));
    scale();
  };
  // Labels of boxes with the same corner are above each other.
  const label = (text, x, y, below, before) => {
    const [xmin, ymin] = boxes[before.length];
    const written = svg("text", { x, y, class: below ? "below" : false }, text);
    written.style.setProperty("--row", before.filter((box) => box[0] === xmin && box[1] === ymin).length * (below ? 1 : -1));
    return written;
  };
  // Labels keep their size however large the picture is drawn.
  const scale = () => {
    const drawn = drawing.getBoundingClientRect();
    const by = Math.min(drawn.width / picture.naturalWidth, drawn.height / picture.naturalHeight);
    if (by > 0 && Number.isFinite(by)) drawing.style.setProperty("--pixel", `${1 / by}px`);
  };
  draw();
  picture.addEventListener("load", draw);
  labels?.then((found) => {
    names = found;
    draw();
    new ResizeObserver(scale).observe(drawing);
  });
  return drawing;
}
