/** Styles of apps. */
export const APP_STYLES = `
.split > .app-pane { grid-column: 2 / 4; }
.app-controls { display: flex; flex-wrap: wrap; gap: 4px 16px; padding: 8px 0; align-items: baseline; }
.app-controls fieldset { display: flex; flex-wrap: wrap; gap: 4px; margin: 0; padding: 0; border: 0; align-items: baseline; }
.app-controls legend { float: left; margin-right: 4px; padding: 0; color: var(--dim); }
.app-controls button[aria-pressed="true"] { border-color: var(--accent); color: var(--accent); }
.app-pane p a, .app-controls a { text-decoration: underline; }
.app-space { overflow-x: auto; }
.app-frame { box-sizing: content-box; border: 1px solid var(--line-2); background: Canvas; }
.app-frame iframe { min-height: 120px; }
.app-pane h2 { margin-top: 16px; }
.app-link { margin: 8px 0; padding: 8px; border: 1px solid var(--waiting); }
.app-link .mono { overflow-wrap: anywhere; }
.app-list { margin: 0; padding: 0; list-style: none; overflow-wrap: anywhere; }
.app-list li { padding: 4px 0; border-top: 1px solid var(--line); }
@media (max-width: 1100px) { .split > .app-pane { grid-column: 2; } }
`;
