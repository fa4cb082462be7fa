// Writes numbers, sizes and values as people read them.

const whole = new Intl.NumberFormat("en-US");
const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** 1797 -> "1,797". Numbers beyond 2^53 come as strings. */
export function count(number) {
  return whole.format(typeof number === "string" ? BigInt(number) : number);
}

/** "1 record", "2 records". */
export function counted(number, noun, several = `${noun}s`) {
  return `${count(number)} ${Number(number) === 1 ? noun : several}`;
}

/** 1067 -> "1.04 KiB": three significant digits. */
export function bytes(number) {
  let value = Number(number);
  let unit = 0;
  for (; value >= 1024 && unit < UNITS.length - 1; ++unit) value /= 1024;
  return unit === 0 ? `${count(value)} B` : `${value.toPrecision(value >= 1000 ? 4 : 3)} ${UNITS[unit]}`;
}

/** 0.0968 -> "9.7 %". */
export function share(part, all) {
  const percent = Number(all) === 0 ? 0 : (100 * Number(part)) / Number(all);
  if (percent > 0 && percent < 0.1) return "< 0.1 %";
  return `${percent >= 99.95 || percent === 0 ? Math.round(percent) : percent.toFixed(1)} %`;
}

/** A number in at most `digits` significant digits; integers up to a million stay whole. */
export function number(value, digits = 4) {
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value)) return Math.abs(value) < 1e15 ? count(value) : value.toExponential(digits - 1);
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4) return value.toExponential(digits - 2);
  return whole.format(Number(value.toPrecision(digits))) === "0" ? value.toPrecision(digits) : trimmed(value, digits);
}

function trimmed(value, digits) {
  return new Intl.NumberFormat("en-US", { maximumSignificantDigits: digits }).format(value);
}

/** A value of a column or of a result: null, number, text or boolean. An empty text would not be seen. */
export function value(of, longest = 200) {
  if (of === null || of === undefined) return "NULL";
  if (of === "") return "(empty)";
  if (typeof of === "number") return number(of, 7);
  const text = typeof of === "string" ? of : JSON.stringify(of);
  return text.length > longest ? text.slice(0, longest) + "…" : text;
}

/** 35 -> "00000023". */
export function hex(number, digits = 8) {
  return number.toString(16).padStart(digits, "0");
}
