// Asks how many records pass: one question at a time, an estimate first, then exactly, and always the newest.

import { get, page } from "../api.mjs";

// An estimate is let finish while a hand moves, so that the charts move too; one that takes longer than this is not.
const PATIENCE_MS = 150;

export class Counter {
  #waiting = null;
  #running = null;
  #onAnswer;
  #onFailure;

  /** `onAnswer(answer, question)` for each answer, `onFailure(error)` if the newest question was refused. */
  constructor(onAnswer, onFailure) {
    this.#onAnswer = onAnswer;
    this.#onFailure = onFailure;
  }

  /** Asks for the counts of `columns` under `filter`. A question that still runs ends, and is never answered. */
  ask(filter, columns) {
    this.#waiting = { filter, columns };
    if (this.#running === null) this.#work();
    else if (this.#running.exact || performance.now() - this.#running.began > PATIENCE_MS) this.#running.abort.abort();
  }

  async #work() {
    while (this.#waiting !== null) {
      const question = this.#waiting;
      this.#waiting = null;
      try {
        const first = await this.#answer(question, false);
        if (!first.exact && this.#waiting === null) await this.#answer(question, true);
      } catch (error) {
        if (error.name !== "AbortError" && error.status !== 409 && this.#waiting === null) this.#onFailure(error);
      }
    }
    this.#running = null;
  }

  async #answer({ filter, columns }, exact) {
    const abort = new AbortController();
    this.#running = { exact, abort, began: performance.now() };
    const answer = await get("counts", { page, filter, column: columns, estimate: exact ? 0 : 1 }, abort.signal);
    this.#onAnswer(answer, { filter, columns });
    return answer;
  }
}
