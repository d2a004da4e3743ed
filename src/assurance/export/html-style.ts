// How the printed page looks: on paper black on white, a status never told by its colour alone.

export const STYLE = `
:root{color-scheme:light dark;--line:#8886;--bad:#b00020;--doubt:#8a5a00;--good:#1a6b2f}
@media (prefers-color-scheme:dark){:root{--bad:#ff8a8a;--doubt:#e3b341;--good:#56d364}}
*{box-sizing:border-box}
body{font:14px/1.45 system-ui,sans-serif;margin:1.5rem auto;max-width:90rem;padding:0 1rem}
h1{font-size:1.5rem;margin:0 0 .25rem}h2{font-size:1.15rem;margin:2rem 0 .5rem}
nav a{margin-right:1rem}
.figures{display:flex;flex-wrap:wrap;gap:.5rem 2rem;margin:1rem 0}
.figures dt{font-size:.85em;opacity:.8}.figures dd{margin:0;font-weight:600}
.tables{display:flex;flex-wrap:wrap;gap:1rem 2rem;align-items:flex-start}.tables table{width:auto}
table{border-collapse:collapse;width:100%;font-size:.93em}
th,td{border:1px solid var(--line);padding:.2rem .45rem;text-align:left;vertical-align:top;overflow-wrap:anywhere}
thead th{overflow-wrap:normal}tbody th{font-weight:600}main>section>table tbody th{min-width:9em}
td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.failing,.uncovered,.broken{color:var(--bad)}
.suspect,.stale,.unexecuted{color:var(--doubt)}
.validated,.passing{color:var(--good)}
.rest{font-style:italic}
@page{size:A4 landscape;margin:12mm;@bottom-right{content:counter(page) " / " counter(pages);font-size:8pt}}
@media print{
:root{color-scheme:light;--line:#999;--bad:#8c0019;--doubt:#6b4600;--good:#14532d}
body{margin:0;padding:0;max-width:none;font-size:8.5pt}
nav{display:none}h2{break-after:avoid}
thead{display:table-header-group}tr{break-inside:avoid}
#matrix{break-before:page}
}
`;
