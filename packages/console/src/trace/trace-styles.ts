/** Styles of traces. */
export const TRACE_STYLES = `
.trace { display: grid; grid-template-rows: auto auto minmax(0, 1fr) auto; overflow: hidden; }
.trace-head { padding: 8px 16px; display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: baseline; border-bottom: 1px solid var(--line); }
.trace-head p { flex-basis: 100%; }
.trace-head span a, .trace-detail a { text-decoration: underline; }
.trace .bar-row { display: grid; grid-template-columns: minmax(0, 40%) minmax(0, 1fr) 76px; gap: 0 12px; padding: 0 16px; height: 26px; align-items: center; cursor: default; }
.trace .bar-row[aria-selected="true"] { background: var(--chosen); }
.trace .axis { border-bottom: 1px solid var(--line); color: var(--dim); font-size: 11px; }
.trace .bar-name { display: flex; gap: 6px; min-width: 0; white-space: nowrap; }
.trace .bar-name > .what { overflow: hidden; text-overflow: ellipsis; min-width: 0; flex: 1; }
.trace .bar-name .state { flex: none; }
.trace .track { position: relative; height: 100%; }
.trace .axis .track span { position: absolute; transform: translateX(-50%); white-space: nowrap; line-height: 26px; }
.trace .axis .track span:first-child { transform: none; }
.trace .lines { position: absolute; inset: 0; border-left: 1px solid var(--line); }
.trace .lines i { position: absolute; top: 0; bottom: 0; border-left: 1px solid var(--line); }
.trace .bar { position: absolute; top: 6px; bottom: 6px; min-width: 3px; border-radius: 2px; background: var(--accent); }
.trace .bar.is-call { top: 9px; bottom: 9px; background: var(--dim); }
.trace .bar.is-own, .trace .bar.is-input, .trace .bar.is-approval { background: transparent; border: 1px dashed var(--dim); }
.trace .bar.is-input, .trace .bar.is-approval { border: 1px solid var(--waiting); background: repeating-linear-gradient(135deg, var(--waiting) 0 2px, transparent 2px 6px); }
.trace .bar.is-task { background: transparent; border: 1px solid var(--accent); }
.trace .bar.is-task.in-error { background: transparent; border-color: var(--error); }
.trace .bar.in-error { background: var(--error); }
.trace .bar.is-open { border-right: 3px dotted var(--bg); border-radius: 2px 0 0 2px; opacity: 0.75; }
.trace .mark { position: absolute; top: 9px; width: 8px; height: 8px; margin-left: -4px; background: var(--bg); border: 1.5px solid var(--text); transform: rotate(45deg); }
.trace .mark.is-decision { border-radius: 50%; }
.trace-detail { border-top: 1px solid var(--line); padding: 8px 16px 12px; overflow: auto; max-height: 38vh; }
.trace-detail h2 { font-size: 13px; }
.trace-detail ul { display: flex; flex-wrap: wrap; gap: 2px 16px; }
@media (max-width: 719px) {
  .trace .bar-row { grid-template-columns: minmax(0, 1fr) 64px; grid-template-rows: 24px 20px; height: 48px; padding: 2px 8px; }
  .trace .bar-row .track { grid-row: 2; grid-column: 1 / -1; }
  .trace .bar-row .figures { grid-row: 1; grid-column: 2; }
  .trace .axis { height: 26px; grid-template-rows: 26px; }
  .trace .axis .track { grid-row: 1; }
  .trace .axis .bar-name, .trace .axis .figures { display: none; }
  .trace .bar { top: 3px; bottom: 5px; }
  .trace .bar.is-call { top: 6px; bottom: 8px; }
  .trace .mark { top: 5px; }
}
`;
