// The pages of `src/docs` as `/docs/<name>`. Imported when one is first asked for.
import { createHash } from 'node:crypto';
import MarkdownIt from 'markdown-it';
import agents from '../../docs/agents.md' with { type: 'text' };
import api from '../../docs/api.md' with { type: 'text' };
import changes from '../../docs/changes.md' with { type: 'text' };
import ci from '../../docs/ci.md' with { type: 'text' };
import configuration from '../../docs/configuration.md' with { type: 'text' };
import consolePage from '../../docs/console.md' with { type: 'text' };
import contributing from '../../docs/contributing.md' with { type: 'text' };
import markdown from '../../docs/markdown.md' with { type: 'text' };
import operations from '../../docs/operations.md' with { type: 'text' };
import sources from '../../docs/sources.md' with { type: 'text' };
import stories from '../../docs/stories.md' with { type: 'text' };
import tests from '../../docs/tests.md' with { type: 'text' };
import tokens from '../../docs/tokens.md' with { type: 'text' };
import { type Asset, asset } from './assets.ts';

const TEXTS = new Map(
  Object.entries({
    tokens,
    api,
    sources,
    markdown,
    stories,
    tests,
    ci,
    agents,
    console: consolePage,
    configuration,
    operations,
    changes,
    contributing,
  }),
);

const STYLE = `body { margin: 2rem auto; max-width: 46rem; padding: 0 1rem; font: 1rem/1.5 sans-serif; }
pre { padding: 0.75rem; overflow-x: auto; background: #8881; }
td, th { padding: 0.2rem 1rem 0.2rem 0; text-align: left; vertical-align: top; }
:root { color-scheme: light dark; }`;

const HASH = createHash('sha256').update(STYLE).digest('base64');

export const GUIDE_POLICY = `default-src 'none'; style-src 'sha256-${HASH}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

export const GUIDE_PAGES = [...TEXTS.keys()];
const rendered = new Map<string, Asset>();

/** Undefined where there is none of this name. */
export function guidePage(name: string): Asset | undefined {
  const known = rendered.get(name);
  const text = TEXTS.get(name);
  if (known || text === undefined) return known;
  // In the repository the pages link to each other as files.
  const html = new MarkdownIt('commonmark')
    .enable('table')
    .render(text)
    .replace(/href="([a-z]+)\.md/g, 'href="/docs/$1');
  const page = asset(
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${/^# (.*)/.exec(text)?.[1]}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<p><a href="/docs">pqrs</a></p>
${html}</body>
</html>
`,
    'text/html; charset=utf-8',
  );
  rendered.set(name, page);
  return page;
}
