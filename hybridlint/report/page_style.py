"""The style sheet of the HTML page: one column of cards, light and dark, without external resources."""

from __future__ import annotations

STYLE = """
:root {
  color-scheme: light dark;
  --paper: #f7f7f5; --card: #ffffff; --ink: #1d2129; --soft: #667085; --line: #e4e4df;
  --good: #1a7f4b; --bad: #c4322b; --warn: #a15c00; --info: #2b62c4;
  --good-wash: #e3f4ea; --bad-wash: #fce8e6; --warn-wash: #fdf1dc; --info-wash: #e6eefb; --code: #f4f4f1;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14161a; --card: #1c1f25; --ink: #e6e8ec; --soft: #98a1b0; --line: #2d323b;
    --good: #5fd08f; --bad: #ff8078; --warn: #f0b35a; --info: #85aefc;
    --good-wash: #16301f; --bad-wash: #3a1b1a; --warn-wash: #35270f; --info-wash: #1a2740; --code: #15181d;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 2.5rem 1.25rem 5rem; max-width: 66rem; background: var(--paper); color: var(--ink);
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
h1 { font-size: 1.55rem; margin: 0; letter-spacing: -0.01em; }
h2 { font-size: 1.02rem; margin: 2.75rem 0 0.75rem; color: var(--soft); font-weight: 600; overflow-wrap: anywhere; }
h3 { font-size: 1.1rem; margin: 0; }
p { margin: 0.35rem 0; }
a { color: inherit; text-decoration-color: var(--line); text-underline-offset: 3px; }
a:hover { text-decoration-color: currentColor; }
code, pre, .mono { font: 13px/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
.soft { color: var(--soft); }
.tiles {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: 0.75rem; margin: 1.5rem 0 2rem;
}
.tile { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 0.8rem 1rem; }
.tile b { display: block; font-size: 1.6rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
.tile span { color: var(--soft); font-size: 0.85rem; }
.wide { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
table { border-collapse: collapse; width: 100%; }
th { text-align: left; font-weight: 500; font-size: 0.82rem; color: var(--soft); }
th, td { padding: 0.5rem 1rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
tr:last-child td { border-bottom: 0; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
.bar {
  display: inline-block; width: 5.5rem; height: 6px; border-radius: 3px; background: var(--line); margin-right:
  0.6rem; vertical-align: middle; overflow: hidden;
}
.bar i { display: block; height: 100%; background: var(--good); }
.bar i.fair { background: var(--warn); } .bar i.poor { background: var(--bad); }
.badge { display: inline-block; padding: 0 0.55rem; border-radius: 99px; font-size: 0.8rem; font-weight: 600; }
.proved, .good { color: var(--good); background: var(--good-wash); }
.refuted, .error { color: var(--bad); background: var(--bad-wash); }
.not-run, .warning { color: var(--warn); background: var(--warn-wash); }
.info { color: var(--info); background: var(--info-wash); }
a.badge { text-decoration: none; } a.badge:hover { text-decoration: underline; }
input[type="search"] {
  width: min(24rem, 100%); margin: 0 0 0.75rem; padding: 0.45rem 0.8rem; font: inherit; color: inherit; background:
  var(--card); border: 1px solid var(--line); border-radius: 8px;
}
th[role="button"] { cursor: pointer; } th[role="button"]:hover { color: var(--ink); }
th[aria-sort="ascending"]::after { content: " \\2191"; } th[aria-sort="descending"]::after { content: " \\2193"; }
[hidden] { display: none; }
.card {
  background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1.1rem 1.25rem; margin:
  0.75rem 0;
}
.head { display: flex; flex-wrap: wrap; gap: 0.3rem 0.8rem; align-items: center; }
.item { border-top: 1px solid var(--line); margin-top: 0.9rem; padding-top: 0.8rem; }
.source { background: var(--code); border-radius: 8px; padding: 0.6rem 0; margin: 0.6rem 0; overflow-x: auto; }
.source div { padding: 0 0.9rem; white-space: pre; width: max-content; min-width: 100%; }
.source .n {
  display: inline-block; min-width: 2.6rem; padding-right: 1rem; text-align: right; color: var(--soft); user-select:
  none;
}
.source mark {
  background: none; color: inherit; text-decoration: underline wavy var(--bad) 1px; text-underline-offset: 4px;
}
.source .hit { background: var(--bad-wash); }
.source .minus { background: var(--bad-wash); } .source .plus { background: var(--good-wash); }
details { margin-top: 0.8rem; }
summary { cursor: pointer; color: var(--soft); font-size: 0.9rem; }
.canvas {
  overflow: auto; max-height: 34rem; background: var(--code); border-radius: 8px; margin-top: 0.6rem; padding:
  0.4rem;
}
.graph { display: block; margin: 0 auto; }
.graph path { fill: none; stroke: var(--soft); stroke-opacity: 0.55; stroke-width: 1.3; }
.graph rect { fill: var(--card); stroke: var(--line); stroke-width: 1.3; }
.graph text { fill: var(--ink); font: 12px ui-monospace, Menlo, Consolas, monospace; text-anchor: middle; }
.graph text.row { fill: var(--soft); font-size: 10px; }
.graph .agrees rect { fill: var(--good-wash); stroke: var(--good); }
.graph .parts rect { fill: var(--bad-wash); stroke: var(--bad); stroke-width: 2.4; }
.graph .input rect { fill: none; stroke-dasharray: 3 3; stroke: var(--soft); }
footer { margin-top: 3rem; color: var(--soft); font-size: 0.88rem; }
@media print { body { max-width: none; } .card, .tile { break-inside: avoid; } }
"""
