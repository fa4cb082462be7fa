// The files as a map: a bar for each, as long as its bytes, with damage at its place; and the same as a table.

import { get } from "./api.mjs";
import { data, failure, h, show, svg } from "./dom.mjs";
import { bytes, count, counted } from "./format.mjs";

const LEAST = 1 / 250; // of a bar: damage of one byte is still seen

const CAUSES = {
  torn_tail: "the file ends within a record",
  bad_length_crc: "the checksum of a record's length is wrong",
  bad_length: "the length of a record is impossible",
  resync_limit: "the search for the next record was given up",
  cut_stream: "the compressed stream ends too early",
  bad_deflate: "the compressed data are invalid",
  bad_stream_checksum: "the checksum of the compressed stream is wrong",
  trailing_bytes: "bytes after the end of the compressed stream",
  second_stream: "a second compressed stream",
  zero_head: "zeros in place of a record",
  lfs_pointer: "a Git LFS pointer in place of the file",
};

export class ShardsView {
  #abort = null; // of the question, which is asked once
  #isShown = false;
  #place = document.querySelector("#shards");

  /** Shows the shards, read once. */
  async select() {
    if (this.#abort !== null) return;
    const { signal } = (this.#abort = new AbortController());
    try {
      const { shards } = await get("shards", {}, signal);
      if (signal.aborted) return;
      this.#isShown = true;
      const bad = shards.filter((shard) => shard.state !== "ok");
      const longest = Math.max(1, ...shards.map((shard) => Number(shard.bytes)));
      show(this.#place,
        h("p", { class: "sum" }, sum(bad.length, shards.length)),
        h("div", { class: "map", tabindex: 0, role: "region", "aria-label": "Map of the shards" }, table(shards, longest)));
    } catch (error) {
      if (signal.aborted) return;
      this.#abort = null;
      show(this.#place, failure(error, () => this.select()));
    }
  }

  /** Ends what is still read. The next select() reads it again. */
  leave() {
    if (this.#isShown) return;
    this.#abort?.abort();
    this.#abort = null;
  }
}

function sum(bad, all) {
  if (bad > 0) return all === 1 ? "The shard is missing, changed or damaged." : `${count(bad)} of ${count(all)} shards ${bad === 1 ? "is" : "are"} missing, changed or damaged.`;
  return all === 1 ? "The shard is as it was indexed." : `All ${counted(all, "shard")} are as they were indexed.`;
}

function table(shards, longest) {
  const heads = [["shard"], ["bytes", "number"], ["records", "number"], ["first", "number"], ["map", "map-of"], ["state"]];
  return h("table", { class: "rows shards" },
    h("caption", { class: "unseen" }, "shards, and the byte ranges in them that hold no record"),
    h("thead", {}, h("tr", {}, heads.map(([name, kind]) => h("th", { scope: "col", class: kind ?? false }, name)))),
    h("tbody", {}, shards.map((shard) => h("tr", { class: shard.state },
      h("th", { scope: "row" }, data(shard.path)),
      h("td", { class: "number" }, bytes(shard.bytes)),
      h("td", { class: "number" }, count(shard.records)),
      h("td", { class: "number" }, count(shard.first)),
      h("td", { class: "map-of" }, bar(shard, longest)),
      h("td", { class: "state" }, state(shard))))));
}

function bar(shard, longest) {
  const total = Math.max(1, Number(shard.bytes));
  const drawing = svg("svg", { class: "shard", viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { width: 1, height: 1 }),
    shard.damage.map(({ begin, end }) => {
      const width = Math.max(LEAST, (end - begin) / total);
      return svg("rect", { class: "damage", x: Math.min(1 - width, begin / total), width, height: 1 });
    }));
  drawing.style.setProperty("--part", Math.max(0.004, total / longest));
  return drawing;
}

function state({ state: what, why, damage }) {
  return [h("span", { class: "what" }, what), why ? h("span", { class: "why" }, ": ", data(why)) : null,
    damage.length ? h("ul", {}, damage.map(({ begin, end, cause }) =>
      h("li", {}, `${count(begin)} – ${count(end)}: `, data(CAUSES[cause] ?? cause)))) : null];
}
