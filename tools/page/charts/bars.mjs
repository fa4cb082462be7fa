// A bar for each value of a column: click values, or press Space on them, to keep the records that have one of them.

import { data, h, say, set } from "../dom.mjs";
import { count, value } from "../format.mjs";

const FIRST = 8; // values before "more"

/** Makes the chart of `{name, values, others}`. `onChoice(values, wantsNull)` gets all that are pressed. */
export function bars({ name, values, others }, onChoice) {
  let chosen = [];
  let wantsNull = false;
  const rows = values.map((one) => row(value(one), () => {
    onChoice(chosen.includes(one) ? chosen.filter((other) => other !== one) : [...chosen, one], wantsNull);
  }));
  const rest = others ? row("other values", null) : null;
  const nulls = row("NULL", () => onChoice(chosen, !wantsNull));
  nulls.element.hidden = true;
  if (rest) rest.element.hidden = true;
  const more = h("button", { class: "more", type: "button", "aria-expanded": "false", onclick: () => expand() });
  const list = h("div", { class: "bars", role: "group", "aria-label": `values of ${name}` },
    rows.map((one) => one.element), rest?.element, nulls.element, rows.length > FIRST ? more : null);
  expand(false);

  function expand(open = more.getAttribute("aria-expanded") !== "true") {
    set(more, "aria-expanded", open);
    say(more, open ? "fewer" : `${count(rows.length - FIRST)} more`);
    rows.forEach((one, place) => (one.element.hidden = place >= FIRST && !open && !chosen.includes(values[place])));
  }

  return {
    element: list,
    update(counts) {
      const whole = sum(counts.total);
      const part = sum(counts);
      const pairs = [...counts.bins.map((bin, place) => [rows[place], bin, counts.total.bins[place]]),
        ...(rest ? [[rest, counts.others, counts.total.others]] : []), [nulls, counts.nulls, counts.total.nulls]];
      const top = Math.max(...pairs.flatMap(([, bin, all]) => [bin / part || 0, all / whole || 0])) || 1;
      for (const [one, bin, all] of pairs) one.update(bin, all, bin / part / top || 0, all / whole / top || 0);
      nulls.element.hidden = Number(counts.total.nulls) === 0 && !wantsNull;
      if (rest) rest.element.hidden = Number(counts.total.others) === 0;
    },
    select(list_, null_) {
      chosen = list_ ?? [];
      wantsNull = null_;
      rows.forEach((one, place) => one.press(chosen.includes(values[place]), chosen.length > 0 || wantsNull));
      nulls.press(wantsNull, chosen.length > 0 || wantsNull);
      if (wantsNull) nulls.element.hidden = false;
      expand(more.getAttribute("aria-expanded") === "true");
    },
  };
}

function sum({ bins, others, nulls }) {
  return bins.reduce((total, bin) => total + Number(bin), Number(others) + Number(nulls));
}

function row(label, onPress) {
  const number = h("span", { class: "count" });
  const element = h(onPress ? "button" : "div",
    onPress ? { class: "bar", type: "button", "aria-pressed": "false", onclick: onPress } : { class: "bar" },
    data(label, { class: "label" }), number);
  return {
    element,
    update(bin, all, part, whole) {
      say(number, count(bin));
      element.title = `${label}: ${count(bin)} of ${count(all)}`;
      element.style.setProperty("--part", part);
      element.style.setProperty("--whole", whole);
    },
    press(pressed, any) {
      if (onPress) set(element, "aria-pressed", pressed);
      element.classList.toggle("dimmed", any && !pressed);
    },
  };
}
