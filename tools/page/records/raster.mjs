// Draws raw arrays as pictures, and reads and guesses their shapes.

import { h } from "../dom.mjs";

const SMALLEST = 36; // values that may be a picture, unless the name says so
const PICTURE = /image|img|pixel|patch|mask|frame|depth|digit/i;
const CHANNELS = [1, 3, 4];

/** Reads "28x28", "8x8x3" (HWC) or "3x8x8" (CHW). Returns {height, width, channels, planar}, or null. */
export function shapeOf(text) {
  const sizes = text.trim().toLowerCase().split(/\s*[x×*, ]\s*/).map(Number);
  if (sizes.some((size) => !Number.isInteger(size) || size < 1 || size > 16384)) return null;
  if (sizes.length === 2) return { height: sizes[0], width: sizes[1], channels: 1, planar: false };
  if (sizes.length !== 3) return null;
  const [a, b, c] = sizes;
  if (CHANNELS.includes(c)) return { height: a, width: b, channels: c, planar: false };
  return CHANNELS.includes(a) ? { height: b, width: c, channels: a, planar: true } : null;
}

/** Returns whether `count` values fill a shape. */
export function fills(shape, count) {
  return shape.height * shape.width * shape.channels === count;
}

/** Guesses a square of `count` values as text, or "". */
export function guess(name, count) {
  if (count < SMALLEST && !PICTURE.test(name)) return "";
  for (const channels of CHANNELS) {
    const side = Math.sqrt(count / channels);
    if (Number.isInteger(side) && side > 1) return channels === 1 ? `${side}x${side}` : `${side}x${side}x${channels}`;
  }
  return "";
}

/** Returns whether numbers look like a picture rather than a signal: a telling name, or grey levels of 0 to 255. */
export function isPicture(name, values) {
  return PICTURE.test(name) || (values.length >= 64 && values.every((one) => Number.isInteger(one) && one >= 0 && one <= 255));
}

/** Draws values on a canvas of their size. Levels of 0 to 255 stay; other ranges are stretched to them. NaN is clear. */
export function raster(values, shape, label) {
  const { height, width, channels, planar } = shape;
  const canvas = h("canvas", { class: "raster", width, height, role: "img", "aria-label": label });
  const pixels = new ImageData(width, height);
  const [low, scale] = levels(values);
  const area = height * width;
  for (let place = 0; place < area; ++place) {
    for (let channel = 0; channel < 4; ++channel) {
      const from = channels === 1 ? 0 : channel;
      const at = planar ? from * area + place : place * channels + from;
      const opaque = channel === 3 && channels < 4;
      pixels.data[place * 4 + channel] = opaque ? alpha(values, place, shape) : Math.round((values[at] - low) * scale);
    }
  }
  canvas.getContext("2d").putImageData(pixels, 0, 0);
  return canvas;
}

function alpha(values, place, { height, width, channels, planar }) {
  for (let channel = 0; channel < channels; ++channel) {
    if (!Number.isFinite(values[planar ? channel * height * width + place : place * channels + channel])) return 0;
  }
  return 255;
}

function levels(values) {
  let low = Infinity;
  let high = -Infinity;
  let whole = true;
  for (const one of values) {
    if (!Number.isFinite(one)) continue;
    if (one < low) low = one;
    if (one > high) high = one;
    whole &&= Number.isInteger(one);
  }
  if (whole && low >= 0 && high > 32 && high <= 255) return [0, 1];
  return [low, high > low ? 255 / (high - low) : 0];
}
