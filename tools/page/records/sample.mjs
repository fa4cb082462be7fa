// A few records of a dataset, which say how each feature is shown: one record may lack a feature, or be unlike the rest.

import { get } from "../api.mjs";
import { amount, kindOf } from "./values.mjs";

const MOST = 5;

export class Sample {
  #records = [];

  /** Reads records that are spread over the dataset. */
  static async read({ ordinals }) {
    const last = Number(ordinals) - 1;
    const places = Array.from({ length: MOST }, (_, place) => Math.round((last * place) / (MOST - 1)));
    const sample = new Sample();
    if (last < 0) return sample;
    const answers = await Promise.allSettled([...new Set(places)].map((ordinal) => get("record", { ordinal })));
    sample.#records = answers.filter((one) => one.status === "fulfilled" && !one.value.error).map((one) => one.value);
    return sample;
  }

  /** The names of the features that the records have, in their order. */
  get names() {
    return [...new Set(this.#records.flatMap((record) => record.features.map((feature) => feature.name)))];
  }

  /** Returns the records that have values of a feature, as {feature, record}; those like the most come first. */
  of(name) {
    const found = this.#records.map((record) => ({ feature: record.features.find((one) => one.name === name), record }))
      .filter(({ feature }) => feature && Number(feature.count) > 0);
    const alike = ({ feature, record }) => found.filter((other) => kindOf(other.feature, other.record) === kindOf(feature, record)).length;
    return found.map((one) => [alike(one), one]).sort(([a], [b]) => b - a).map(([, one]) => one);
  }

  /** Returns how a feature is shown in most of the records. */
  kind(name) {
    const [first] = this.of(name);
    return first ? kindOf(first.feature, first.record) : "nothing";
  }

  /** The numbers of values that the feature has in the records. */
  amounts(name) {
    return [...new Set(this.of(name).map(({ feature }) => amount(feature)))];
  }
}
