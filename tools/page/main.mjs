// Starts the page: reads the dataset, makes the views, and lets each follow the state.

import { connection, get, reload } from "./api.mjs";
import { Columns } from "./charts/columns.mjs";
import { copyTools, learn } from "./copy.mjs";
import { Counter } from "./charts/counts.mjs";
import { failure, h, say, set, show } from "./dom.mjs";
import { FilterBar } from "./charts/filter.mjs";
import { bytes, count, counted } from "./format.mjs";
import { Grid } from "./records/grid.mjs";
import { keys } from "./keys.mjs";
import { RecordView } from "./records/record.mjs";
import { Sample } from "./records/sample.mjs";
import { ShardsView } from "./shards.mjs";
import { ShuffleView } from "./shuffle.mjs";
import { SqlView } from "./sql.mjs";
import { filterOf, format, initial, store } from "./state.mjs";
import { themeSwitch } from "./theme.mjs";

const VIEWS = { explore: "Explore", sql: "SQL", shuffle: "Shuffle", shards: "Shards" };
const FILTERED = ["explore", "shuffle"];

const main = document.querySelector("#main");
const lost = document.querySelector("#lost");
connection.addEventListener("lost", () => (lost.hidden = false));
connection.addEventListener("found", () => (lost.hidden = true));
themeSwitch(document.querySelector("#theme"));
start().catch((error) => show(main, failure(error)));

async function start() {
  const dataset = await get("dataset");
  header(dataset);
  if (dataset.datasets > 1) chooser((await get("datasets")).datasets);
  const filter = new FilterBar();
  const counter = new Counter((answer, question) => {
    learn(question.filter, answer.sql);
    filter.update(answer);
    columns.update(answer);
  }, (error) => filter.fail(error));
  const ask = () => counter.ask(filterOf(store.state), columns.wanted);
  const columns = new Columns(document.querySelector("#columns"), dataset.columns, ask);
  const grid = new Grid(dataset, await Sample.read(dataset));
  const record = new RecordView(dataset);
  const explore = {
    select(state, old) {
      record.select(state, old !== null && old.record === null);
      document.querySelector("#records").hidden = state.record !== null;
      // Back in the grid, the focus is on the record that was looked at.
      if (state.record === null) grid.select(state, old?.view === state.view ? old.record : null);
    },
    leave() {
      grid.leave();
      record.leave();
    },
  };
  const views = { explore, sql: new SqlView(dataset), shuffle: new ShuffleView(dataset, grid), shards: new ShardsView() };
  copyTools(dataset, { grid, shuffle: views.shuffle });

  const follow = (state, old) => {
    const view = Object.hasOwn(VIEWS, state.view) ? state.view : "explore";
    navigation(state, view);
    for (const name of Object.keys(VIEWS)) {
      document.querySelector(`#${name}`).hidden = name !== view;
      if (name !== view) views[name].leave();
    }
    document.querySelector("#filters").hidden = !FILTERED.includes(view);
    filter.select(state);
    columns.select(state);
    if (old === null || filterOf(state) !== filterOf(old)) ask();
    views[view].select(state, old);
  };
  store.onChange(follow);
  follow(store.state, null);
  keys({ record, views: Object.keys(VIEWS) });
  main.removeAttribute("aria-busy");
}

function header(dataset) {
  const { index, records, shards, damaged, format: framing, compression } = dataset;
  const name = index.slice(index.lastIndexOf("/") + 1);
  document.title = `${name} – ofindex`;
  say(document.querySelector("#index"), name);
  document.querySelector("#index").title = index;
  const facts = [counted(records, "record"), bytes(dataset.bytes), counted(shards, "shard"), framing,
    compression && compression !== "none" ? compression : null].filter(Boolean);
  show(document.querySelector("#facts"), h("span", { class: "facts" }, facts.join(" · ")),
    Number(damaged) ? h("span", { class: "damaged" }, `${count(damaged)} damaged`) : null);
}

// Another dataset is another page: nothing of the state but the view goes with it.
function chooser(datasets) {
  document.querySelector("#index").replaceWith(h("select", { "aria-label": "dataset", onchange: (event) => {
    reload(format({ ...initial, dataset: Number(event.target.value), view: store.state.view }));
  } }, datasets.map(({ number, index }) => h("option", { value: number, selected: number === store.state.dataset }, index))));
}

function navigation(state, current) {
  const place = document.querySelector("#views");
  if (place.childElementCount === 0) {
    place.append(...Object.entries(VIEWS).map(([view, title]) => h("a", { "data-view": view, onclick: (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      store.go({ view, record: null });
    } }, title)));
  }
  for (const anchor of place.children) {
    set(anchor, "href", format({ ...state, view: anchor.dataset.view, record: null }) || "?");
    if (anchor.dataset.view === current) set(anchor, "aria-current", "page");
    else anchor.removeAttribute("aria-current");
  }
}
