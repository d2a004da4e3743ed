// The page `/docs/markdown`: how requirements are written in Markdown. Imported when it is first asked for.
import { createHash } from 'node:crypto';
import MarkdownIt from 'markdown-it';
import text from '../docs-markdown.md' with { type: 'text' };
import { asset } from './docs-assets.ts';

const STYLE = `body { margin: 2rem auto; max-width: 46rem; padding: 0 1rem; font: 1rem/1.5 sans-serif; }
pre { padding: 0.75rem; overflow-x: auto; background: #8881; }
td, th { padding: 0.2rem 1rem 0.2rem 0; text-align: left; vertical-align: top; }
:root { color-scheme: light dark; }`;

const HASH = createHash('sha256').update(STYLE).digest('base64');

export const MARKDOWN_POLICY = `default-src 'none'; style-src 'sha256-${HASH}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

export const MARKDOWN_PAGE = asset(
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Requirements in Markdown</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
${new MarkdownIt('commonmark').enable('table').render(text)}</body>
</html>
`,
  'text/html; charset=utf-8',
);
