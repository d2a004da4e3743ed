// Pages for reading and printing: no script, nothing that is asked for, everything of a project escaped.
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

const STYLE = `
body{font:14px/1.45 system-ui,sans-serif;margin:1.5rem auto;max-width:90rem;padding:0 1rem}
table{border-collapse:collapse;margin:.5rem 0;font-size:.93em}
th,td{border:1px solid #8886;padding:.2rem .45rem;text-align:left;vertical-align:top;overflow-wrap:anywhere}
.failing,.uncovered,.broken{color:#b00020}
ins{background:#1a6b2f22}del{background:#b0002022}
.suspect,.stale,.unexecuted{color:#8a5a00}
.validated,.passing{color:#1a6b2f}
@page{size:A4 landscape;margin:12mm;@bottom-right{content:counter(page) " / " counter(pages);font-size:8pt}}
@media print{
body{margin:0;padding:0;max-width:none;font-size:8.5pt}
nav{display:none}h2{break-after:avoid}tr{break-inside:avoid}#matrix{break-before:page}
}
`;
