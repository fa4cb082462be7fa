#include "tools/report_page/page_style.h"

namespace ofindex {

HtmlWord PageStyle() {
  return R"css(
:root {
  --ground: #fbfbfa; --card: #ffffff; --ink: #1d2023; --quiet: #5d646b; --line: #e2e3e1;
  --mark: #2f6f8f; --soft: #e9f0f3; --fault: #a2351f; --fault-ground: #fbeeea;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #16181a; --card: #1e2123; --ink: #e4e6e7; --quiet: #a0a7ad; --line: #33383b;
    --mark: #6fb3d2; --soft: #263238; --fault: #f09a85; --fault-ground: #3a2420;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 2.5rem 1.5rem 4rem; max-width: 76rem; background: var(--ground); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "Liberation Sans", sans-serif;
  font-variant-numeric: tabular-nums; overflow-wrap: anywhere;
}
h1 { margin: 0 0 1rem; font-size: 1.9rem; line-height: 1.2; letter-spacing: -.01em; }
h2 { margin: 3rem 0 .25rem; font-size: 1.25rem; }
h3 { margin: 0; font-size: .95rem; }
h3 small { margin-left: .6em; color: var(--quiet); font-weight: normal; }
p { margin: .5rem 0; }
a { color: var(--mark); }
a:focus-visible, summary:focus-visible { outline: 2px solid var(--mark); outline-offset: 2px; }
code { font: .92em/1.45 ui-monospace, "SF Mono", "DejaVu Sans Mono", monospace; }
.kicker { margin: 0; color: var(--quiet); font-size: .8rem; letter-spacing: .08em; text-transform: uppercase; }
.lead, .left-out, figcaption, caption, dt { color: var(--quiet); }
.lead { max-width: 46rem; margin-bottom: 1rem; }
.left-out { font-size: .85rem; font-style: italic; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.alert { padding: .6rem .9rem; border-left: 3px solid var(--fault); background: var(--fault-ground); }
.fault { color: var(--fault); font-weight: 600; }
.sound { color: var(--quiet); }

dl, dd, figure { margin: 0; }
dt { font-size: .8rem; }
.totals { display: grid; grid-template-columns: repeat(auto-fill, minmax(13.5rem, 1fr)); gap: .7rem 2rem;
  padding: 1rem 0; border-top: 1px solid var(--line); border-bottom: 1px solid var(--line); }
nav ul { display: flex; flex-wrap: wrap; gap: .3rem 1.4rem; margin: .9rem 0 0; padding: 0; list-style: none; }

.card { min-width: 0; padding: .9rem 1rem; border: 1px solid var(--line); border-radius: 6px; background: var(--card); }
.records { display: grid; grid-template-columns: repeat(auto-fill, minmax(16.5rem, 1fr)); gap: .8rem; }
.columns { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(30rem, 100%), 1fr)); align-items: start;
  gap: .8rem; }
.pictures { display: flex; flex-wrap: wrap; gap: .5rem; margin: .6rem 0; }
.pictures:empty { display: none; }
.card img { display: block; border-radius: 3px; object-fit: contain; object-position: left; }
.card img.large { width: auto; height: auto; max-width: 100%; max-height: 13rem; }
.card img.small { width: 8rem; height: 8rem; image-rendering: pixelated; }
.labels { margin: .35rem 0 0; padding: 0; list-style: none; font-size: .8rem; }
.labels li { display: inline-block; margin: 0 .3rem .3rem 0; padding: .05rem .5rem; border-radius: 3px; background: var(--soft); }
.features { display: grid; grid-template-columns: fit-content(60%) 1fr; align-items: baseline;
  gap: .3rem .6rem; margin-top: .5rem; font-size: .85rem; }
.features div { display: contents; }
.features dt { font-size: .78rem; line-height: 1.35; }
.features .drawn { display: block; grid-column: 1 / -1; }
.counts { display: flex; flex-wrap: wrap; gap: 0 1.2rem; margin: .15rem 0 .5rem; padding: 0; list-style: none;
  color: var(--quiet); font-size: .85rem; }
.facts { display: flex; flex-wrap: wrap; gap: .3rem 1.4rem; font-size: .9rem; }
.facts dt { line-height: 1.2; }
figure { margin: .8rem 0 .2rem; }
figcaption { display: flex; justify-content: space-between; padding-top: .15rem; border-top: 1px solid var(--line);
  font-size: .8rem; }
svg { display: block; width: 100%; }
svg.histogram { height: 6.5rem; fill: var(--mark); }
svg.line { height: 2.4rem; margin: .2rem 0; fill: none; stroke: var(--mark); }
svg.line polyline { stroke-width: 1.3px; }
td.bar svg { height: .55rem; fill: var(--mark); }
details { font-size: .85rem; }
summary { color: var(--quiet); cursor: pointer; }
.constant { margin: .15rem 0 0; }
h3 code { overflow-wrap: anywhere; }
.ends { margin: .5rem 0 0; font-size: .85rem; }
.ends span { margin-right: 1.2rem; }

.wide { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .88rem; }
caption { padding: .2rem 0; font-size: .8rem; text-align: left; }
th, td { padding: .22rem .9rem .22rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { color: var(--quiet); font-size: .78rem; font-weight: normal; white-space: nowrap; }
tbody th { font-weight: normal; }
th.n, td.n { text-align: right; white-space: nowrap; }
.top { margin-top: .6rem; }
.top th.bar { width: 38%; }
.top td.bar { vertical-align: middle; padding-right: 0; }
.bins { max-width: 24rem; }
.faults { padding-left: 1.2rem; font-size: .88rem; }
.commands { display: grid; gap: .6rem; }
.commands code { color: var(--ink); }
.commands dd { color: var(--quiet); font-size: .85rem; }
footer { margin-top: 3rem; padding-top: .8rem; border-top: 1px solid var(--line); color: var(--quiet); font-size: .8rem; }

@media print {
  :root { --ground: #fff; --card: #fff; --ink: #000; --quiet: #444; --line: #bbb; --mark: #2f6f8f;
    --soft: #eee; --fault: #900; --fault-ground: #fff; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav, details { display: none; }
  .card, tr, figure { break-inside: avoid; }
  h2 { break-after: avoid; }
}
)css";
}

}  // namespace ofindex
