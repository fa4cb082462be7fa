// Holds what the page shows, and writes it as the address: a link is a view, and Back goes to the view before.

/** No filter: all records pass. */
export const unfiltered = Object.freeze({ where: "", ranges: {}, values: {}, nulls: [] });

export const BATCHES = 6; // of the shuffle that are shown at once
export const LARGEST_BATCH = 128;

/**
 * The state of a page without parameters. Filters are by column: a range [lo, hi], a list of values, NULL wanted.
 * Shapes are by feature: "28x28", or "none" for no picture.
 */
export const initial = Object.freeze({
  dataset: 0,
  view: "explore",
  ...unfiltered,
  shapes: {},
  show: "",
  label: "",
  order: "ordinal",
  seed: 1,
  from: 0,
  record: null,
  step: 0,
  sql: "",
  epoch: 0,
  batch: 16,
  first: 0,
  block: "0",
  quality: "",
});

const TEXTS = ["view", "where", "show", "label", "order", "sql", "block", "quality"];
const NUMBERS = ["dataset", "seed", "from", "record", "step", "epoch", "batch", "first"];
const SHAPE = "shape.";

/** Reads the parameters of an address. What is malformed is left out. */
export function parse(search) {
  const state = { ...initial, ranges: {}, values: {}, nulls: [], shapes: {} };
  for (const [name, text] of new URLSearchParams(search)) {
    if (TEXTS.includes(name)) state[name] = text;
    else if (NUMBERS.includes(name) && /^\d{1,15}$/.test(text)) state[name] = Number(text);
    else if (name === "null") state.nulls.push(text);
    else if (name.startsWith(SHAPE)) own(state.shapes, name.slice(SHAPE.length), text);
    else readFilter(state, name, text);
  }
  state.batch = Math.min(LARGEST_BATCH, Math.max(1, state.batch));
  return state;
}

function readFilter(state, name, text) {
  const [, kind, column] = /^(range|values)\.(.+)$/s.exec(name) ?? [];
  if (kind === undefined) return;
  try {
    const list = JSON.parse(text);
    if (!Array.isArray(list)) return;
    if (kind === "values") own(state.values, column, list.filter((one) => ["string", "number"].includes(typeof one)));
    else if (list.length === 2 && list.every(Number.isFinite)) own(state.ranges, column, list);
  } catch {
    // Not JSON: an address that somebody typed.
  }
}

// A column may be called __proto__.
function own(object, name, value) {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Writes a state as parameters; what is as in `initial` is left out. */
export function format(state) {
  const pairs = new URLSearchParams();
  for (const name of [...TEXTS, ...NUMBERS]) {
    if (state[name] !== initial[name] && state[name] !== null) pairs.append(name, state[name]);
  }
  for (const [column, range] of Object.entries(state.ranges)) pairs.append(`range.${column}`, JSON.stringify(range));
  for (const [column, list] of Object.entries(state.values)) pairs.append(`values.${column}`, JSON.stringify(list));
  for (const column of state.nulls) pairs.append("null", column);
  for (const [feature, text] of Object.entries(state.shapes)) pairs.append(SHAPE + feature, text);
  const text = pairs.toString();
  return text ? "?" + text : "";
}

/** The filter of a state as the server reads it, or null for all records. */
export function filterOf(state) {
  const { where, ranges, values, nulls } = state;
  if (!where && !nulls.length && !Object.keys(ranges).length && !Object.keys(values).length) return null;
  return JSON.stringify({ where, ranges, values, null: nulls });
}

/** Returns `object` with `name` set to `value`, or without it if the value is null. */
export function changed(object, name, value) {
  const copy = {};
  for (const [key, old] of Object.entries(object)) if (key !== name) own(copy, key, old);
  if (value !== null) own(copy, name, value);
  return copy;
}

/** Holds the state of the page. Listeners get the new and the old state. */
class Store {
  #state = parse(location.search);
  #listeners = new Set();

  constructor() {
    addEventListener("popstate", () => this.#become(parse(location.search)));
  }

  get state() {
    return this.#state;
  }

  onChange(listener) {
    this.#listeners.add(listener);
  }

  /** Goes to a changed state, as a new entry of the history. A new filter starts at its first record. */
  go(changes) {
    this.#move(changes);
    const target = location.pathname + format(this.#state);
    if (target !== location.pathname + location.search) history.pushState(null, "", target);
  }

  /** Changes the state while a hand still moves: no entry of the history, until go() ends the movement. */
  slide(changes) {
    this.#move(changes);
  }

  /** Changes the state in the present entry of the history. */
  amend(changes) {
    this.#move(changes);
    history.replaceState(null, "", location.pathname + format(this.#state));
  }

  #move(changes) {
    const next = { ...this.#state, ...changes };
    if (filterOf(next) !== filterOf(this.#state)) {
      next.from = changes.from ?? 0;
      next.first = changes.first ?? 0;
    }
    this.#become(next);
  }

  #become(next) {
    const old = this.#state;
    this.#state = next;
    for (const listener of this.#listeners) listener(next, old);
  }
}

export const store = new Store();
