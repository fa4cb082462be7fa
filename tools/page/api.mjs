// Asks the server. A server that does not answer is asked again until it does; an answer that refuses is an ApiError.

const PAUSES_MS = [500, 1000, 2000, 4000, 8000];

/** What the server refused, and what to do about it. */
export class ApiError extends Error {
  constructor(status, message, hint) {
    super(message);
    this.status = status;
    this.hint = hint;
  }
}

/** Tells "lost" when the server stops answering, "found" when it answers again. */
export const link = new EventTarget();

/** Draws the word that tells the questions of this page from those of others. */
export const page = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => (byte % 36).toString(36)).join("");

// A frame in a notebook gets no cookie: its address carries the token, which every question must then carry. It is kept
// here alone, and not in the address, which people copy.
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
      link.dispatchEvent(new Event("lost"));
      await pause(PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)], options.signal);
      continue;
    }
    if (attempt > 0) link.dispatchEvent(new Event("found"));
    if (response.ok) return response;
    throw await refusal(response);
  }
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
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("a newer question came", "AbortError"));
    }, { once: true });
  });
}
