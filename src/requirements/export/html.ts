// Pages for reading and printing: no script, nothing that is asked for, everything of a project escaped.

import tokens from '../../console/style/tokens.css' with { type: 'text' };
import type { Parts } from '../../model/parts.ts';

/** Text that is HTML already. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type HtmlPart = Html | string | number | readonly HtmlPart[];

/** HTML of a template: whatever is put into it is escaped, but for what is HTML already. */
export function html(strings: TemplateStringsArray, ...parts: HtmlPart[]): Html {
  let text = strings[0] ?? '';
  for (let at = 0; at < parts.length; at += 1)
    text += textOf(parts[at] ?? '') + (strings[at + 1] ?? '');
  return new Html(text);
}

function textOf(part: HtmlPart): string {
  if (part instanceof Html) return part.text;
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(String(part));
  return part.map(textOf).join('');
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    /[&<>"'\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g,
    (character) => ENTITIES[character] ?? '\ufffd',
  );
}

// The page comes from the origin of the API: nothing in it may run.
export const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** A whole page. @param body - HTML */
export function* pageParts(title: string, body: Parts): Generator<string> {
  yield html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width,initial-scale=1">
<style>${new Html(STYLE)}</style></head><body>
`.text;
  yield* body;
  yield '\n</body></html>\n';
}

// The console's design. Its fonts lie on the server, and a page that is saved has none.
const STYLE = `${tokens.replace(/@font-face\s*\{[^}]*\}/g, '')}
body{font:14px/1.5 var(--font);margin:24px auto;max-width:90rem;padding:0 24px;background:var(--bg);color:var(--text)}
h1{font-size:20px;margin:0}h2{font-size:16px;margin:24px 0 8px}h3{font-size:14px;margin:16px 0 4px}
p,nav{color:var(--text-2);margin:4px 0}a{color:var(--accent-text)}
table{border-collapse:collapse;width:100%;background:var(--surface);border:1px solid var(--line);font-size:13px}
th,td{border-bottom:1px solid var(--line);padding:6px 10px;text-align:left;vertical-align:top;overflow-wrap:anywhere}
thead th{color:var(--text-3);font-size:12px;font-weight:500}tbody th{font:12px/1.6 var(--mono);color:var(--text-2)}
.tag{background:var(--own-back);border-left:4px solid var(--own);padding:0 6px;white-space:nowrap}
.bar{display:flex;gap:2px;height:28px;margin:12px 0;border-radius:7px;overflow:hidden}.bar i{background:var(--own);min-width:4px}
ins{background:var(--added-back);color:var(--added-text)}del{background:var(--removed-back);color:var(--removed-text)}
@page{size:A4 landscape;margin:12mm;@bottom-right{content:counter(page) " / " counter(pages);font-size:8pt}}
@media print{
:root{color-scheme:light;--bg:#fff}
body{margin:0;padding:0;max-width:none;font-size:8.5pt}.bar i,.tag{print-color-adjust:exact}
nav{display:none}h2{break-after:avoid}tr{break-inside:avoid}#matrix{break-before:page}
}
`;
