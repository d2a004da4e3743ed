// Colours and sizes of the console. Nothing of the page's own style comes in but by inheritance, which
// the first rule ends.
export const STYLE = `
:host {
  all: initial !important; color-scheme: light dark !important;
  --surface: #fff; --sunk: #f1f2f5; --line: #cfd3dc; --text: #15181e; --text-2: #4a515e;
  --accent: #3d3bbd; --on-accent: #fff; --bad: #c0352b; --pop: 0 12px 40px rgb(16 20 30 / .18);
}
@media (prefers-color-scheme: dark) { :host {
  --surface: #15181e; --sunk: #0e1014; --line: #39404d; --text: #e8eaef; --text-2: #b0b7c3;
  --accent: #8f8dff; --on-accent: #0e1014; --bad: #f96463; --pop: 0 16px 48px rgb(0 0 0 / .6);
} }
/* The rule before says more than the attribute. */
:host([hidden]) { display: none !important; }
@media print { :host { display: none !important; } }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
.open, dialog { font: 14px/1.5 Inter, ui-sans-serif, system-ui, 'Segoe UI', Roboto, sans-serif; color: var(--text); }
.open { position: fixed; z-index: 2147483647; box-shadow: var(--pop); }
.bottom { bottom: 16px; } .top { top: 16px; } .right { right: 16px; } .left { left: 16px; }
button, select, input, textarea { font: inherit; color: inherit; }
button, select, input { min-height: 36px; }
button { padding: 0 12px; border: 1px solid var(--line); border-radius: 7px; background: var(--surface); cursor: pointer; font-weight: 500; }
button:hover { background: var(--sunk); }
.main, .main:hover { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
dialog { width: min(480px, 100vw - 24px); max-height: calc(100vh - 24px); overflow: auto; padding: 20px; border: 1px solid var(--line); border-radius: 8px; background: var(--surface); box-shadow: var(--pop); }
dialog::backdrop { background: rgb(16 20 30 / .4); }
h2 { margin: 0 0 12px; font-size: 16px; }
p { margin: 8px 0; color: var(--text-2); }
form, label { display: grid; gap: 4px; } form { gap: 12px; }
label { font-weight: 500; }
input, select, textarea { width: 100%; padding: 6px 10px; border: 1px solid var(--line); border-radius: 7px; background: var(--surface); font-weight: 400; }
.row { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; } .end { justify-content: flex-end; }
.row p { margin: 0; overflow-wrap: anywhere; }
canvas { display: block; max-width: 100%; max-height: 160px; border: 1px solid var(--line); border-radius: 5px; }
pre { max-height: 160px; overflow: auto; margin: 8px 0 0; padding: 8px; border-radius: 5px; background: var(--sunk); font: 12px/1.5 ui-monospace, Menlo, Consolas, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
summary { cursor: pointer; min-height: 24px; }
.bad { color: var(--bad); font-weight: 500; }
.frame { position: fixed; z-index: 2147483647; pointer-events: none; outline: 2px solid var(--accent); outline-offset: 1px; }
.hint { position: fixed; pointer-events: none; z-index: 2147483647; left: 50%; top: 16px; transform: translateX(-50%); width: max-content; max-width: calc(100vw - 32px); padding: 6px 12px; border-radius: 7px; background: var(--accent); color: var(--on-accent); font: 14px/1.5 system-ui, sans-serif; }
@media (prefers-reduced-motion: no-preference) { dialog[open] { animation: in .15s ease-out; } @keyframes in { from { opacity: 0; transform: translateY(8px); } } }
`;
