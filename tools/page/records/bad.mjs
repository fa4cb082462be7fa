// The records that the index marks as bad, such as those whose bytes do not have their checksum.

import { post } from "../api.mjs";

const MOST = 10_000;
const WORDS = {
  payload_crc: "the checksum of its bytes is wrong: they are not what was written",
};

let read = null;

/** Returns the reasons by record, as a Map; an empty one if they cannot be read now. */
export async function badRecords() {
  read ??= post("sql", { sql: `SELECT record, reason FROM bad LIMIT ${MOST}`, limit: MOST });
  try {
    return new Map((await read).rows.map(([record, reason]) => [Number(record), WORDS[reason] ?? reason]));
  } catch {
    read = null;
    return new Map();
  }
}
