// Asks the server. A server that does not answer is asked again until it does; a refusal is an ApiError.

const BUSY = 503; // too many heavy questions at once: ask again in a moment
const BUSY_ATTEMPTS = 5;
const LONGEST_WAIT_MS = 8000;
const PAUSES_MS = [500, 1000, 2000, 4000, 8000];

/** A refusal of the server: its status, its message, and what to do about it. */
export class ApiError extends Error {
  constructor(status, message, hint) {
    super(message);
    this.status = status;
    this.hint = hint;
  }
}

/** Tells "lost" when the server stops answering, "found" when it answers again. */
export const connection = new EventTarget();
let isLost = false;

/** A random name of this page, so that the server can tell its questions from those of other pages. */
export const page = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => (byte % 36).toString(36)).join("");

// A frame in a notebook gets no cookie: its address carries the token, which every question must then carry. Only this
// variable keeps it: people copy the address.
const given = new URLSearchParams(location.search);
const token = given.get("token");
if (token !== null) {
  given.delete("token");
  history.replaceState(null, "", location.pathname + (given.size ? `?${given}` : ""));
}

/** The number of the dataset that the page shows, in the order of the command line. */
export const dataset = /^\d{1,6}$/.test(given.get("dataset") ?? "") ? Number(given.get("dataset")) : 0;

/** Writes a path with its parameters; an array repeats the parameter, null leaves it out. */
export function address(path, parameters = {}) {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries({ dataset: dataset || null, ...parameters, token })) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined) pairs.append(name, one);
    }
  }
  const text = pairs.toString();
  return `/api/${path}${text ? "?" + text : ""}`;
}

/** Loads the page again at other parameters, "?..." or "". */
export function reload(search) {
  const pairs = new URLSearchParams(search);
  if (token !== null) pairs.append("token", token);
  location.search = pairs.toString();
}

/** Returns the JSON that GET answers. Throws ApiError, or AbortError once `signal` is aborted. */
export async function get(path, parameters, signal) {
  return (await ask(address(path, parameters), { signal })).json();
}

/** Returns the bytes that GET answers, as an ArrayBuffer. */
export async function getBytes(path, parameters, signal) {
  return (await ask(address(path, parameters), { signal })).arrayBuffer();
}

/** Returns the JSON that POST answers to a JSON body. */
export async function post(path, body, signal) {
  const headers = { "Content-Type": "application/json" };
  return (await ask(address(path), { method: "POST", body: JSON.stringify(body), headers, signal })).json();
}

async function ask(source, options) {
  for (let attempt = 0; ; ++attempt) {
    let response;
    try {
      response = await fetch(source, options);
    } catch (error) {
      if (error.name === "AbortError") throw error;
      if (!isLost) connection.dispatchEvent(new Event("lost"));
      isLost = true;
      await pause(PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)], options.signal);
      continue;
    }
    if (isLost) connection.dispatchEvent(new Event("found"));
    isLost = false;
    if (response.ok) return response;
    const refused = await refusal(response);
    if (!isBusy(response) || attempt >= BUSY_ATTEMPTS) throw refused;
    await pause(waitOf(response, attempt), options.signal);
  }
}

// A server that is busy says that it can be asked again; a question that took too long would only take as long again.
function isBusy(response) {
  return response.status === BUSY && response.headers.has("Retry-After");
}

// As long as the server says, at least as long as the attempt is worth, and never all pages at the same moment.
function waitOf(response, attempt) {
  const said = 1000 * Number(response.headers.get("Retry-After")) || 0;
  return Math.min(LONGEST_WAIT_MS, Math.max(said, PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)])) * (1 + Math.random() / 4);
}

async function refusal(response) {
  if (response.status === 401 || response.status === 403) {
    return new ApiError(response.status, "this page may not read the data: its token is missing or old",
      "open the address that `ofindex serve` printed");
  }
  const text = await response.text();
  try {
    const { message, hint } = JSON.parse(text).error;
    return new ApiError(response.status, message, hint);
  } catch {
    return new ApiError(response.status, `the server answered ${response.status}`, text.slice(0, 200));
  }
}

function pause(milliseconds, signal) {
  signal?.throwIfAborted(); // a signal that is aborted already tells no listener
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
