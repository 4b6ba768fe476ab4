export const pageStyle = `
:root { color-scheme: light dark; --ground: #f3f1ec; --sheet: #fff; --ink: #22262b; --quiet: #5b636d; --line: #d5d2ca; --accent: #2f5d50; --on-accent: #fff; --wrong: #a3261b; --on-wrong: #fff; --notice: #fdf3d6; }
@media (prefers-color-scheme: dark) { :root { --ground: #15181b; --sheet: #1f2428; --ink: #e8e6e1; --quiet: #a3abb3; --line: #3b4248; --accent: #8fc9b6; --on-accent: #10231d; --wrong: #ff9d92; --on-wrong: #2b0a06; --notice: #3a3320; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 1.5rem 1rem 3rem; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 76rem; margin: 0 auto; }
h1 { margin: 0; font-size: 1.5rem; line-height: 1.25; }
h2 { margin: 0; font-size: 1.05rem; }
p { margin: .25rem 0 1rem; }
a { color: var(--accent); }
code, .amount { font: .9em ui-monospace, monospace; overflow-wrap: anywhere; }
.quiet { color: var(--quiet); font-size: .9rem; }
.sheet { margin: 1rem 0; padding: 1rem; background: var(--sheet); border: 1px solid var(--line); border-radius: .75rem; }
.counts { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .75rem; margin: 1rem 0; }
.counts div { padding: .75rem 1rem; background: var(--sheet); border: 1px solid var(--line); border-radius: .75rem; }
.counts dt { color: var(--quiet); font-size: .85rem; }
.counts dd { margin: 0; font-size: 1.5rem; font-variant-numeric: tabular-nums; }
.alarm { margin: 1rem 0; padding: .9rem 1rem; border-radius: .75rem; background: var(--wrong); color: var(--on-wrong); font-size: 1.1rem; font-weight: 700; }
.notice { margin: .5rem 0; padding: .5rem .75rem; background: var(--notice); border-radius: .4rem; }
table { width: 100%; border-collapse: collapse; font-size: .95rem; }
th, td { padding: .5rem .6rem; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
thead th { border-top: 0; color: var(--quiet); font-size: .85rem; font-weight: 600; }
td.number, th.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.state { display: inline-block; padding: 0 .5rem; border: 1px solid currentColor; border-radius: 1rem; font-size: .85rem; }
.filled { color: var(--accent); } .rejected, .twice { color: var(--wrong); font-weight: 700; }
form.faults { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: .75rem 1.25rem; margin-top: .75rem; }
label { display: block; font-size: .9rem; }
label b { display: block; }
input { min-height: 2.5rem; padding: 0 .6rem; font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--quiet); border-radius: .4rem; }
input:not([type=checkbox]) { width: 100%; }
input[type=checkbox] { min-height: 0; width: 1.2rem; height: 1.2rem; vertical-align: middle; }
.buttons { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1rem; }
button { min-height: 2.75rem; padding: 0 1.25rem; font: inherit; font-weight: 600; color: var(--on-accent); background: var(--accent); border: 0; border-radius: .4rem; cursor: pointer; }
button.plain { color: var(--ink); background: transparent; border: 1px solid var(--quiet); }
summary { cursor: pointer; min-height: 1.75rem; }
nav { display: flex; gap: 1.5rem; margin-top: 1rem; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
@media (max-width: 760px) {
  thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  tr { display: block; padding: .6rem 0; border-top: 1px solid var(--line); }
  tbody tr:first-child { border-top: 0; }
  td, td.number { display: grid; white-space: normal; grid-template-columns: 7rem 1fr; gap: .5rem; padding: .15rem 0; border: 0; text-align: left; }
  td::before { content: attr(data-label); color: var(--quiet); font-size: .85rem; }
  .state { justify-self: start; }
}
`;
