// What the page of the API document is made of. All of it is inside the executable: the page makes
// no request to another host. Imported when the page is first asked for.
import style from 'swagger-ui-dist/swagger-ui.css' with { type: 'text' };
import script from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'text' };
import { type Asset, asset } from './assets.ts';

// No validator: it would send the document's address to another host.
const START = `'use strict';
document.documentElement.classList.toggle(
  'dark-mode',
  matchMedia('(prefers-color-scheme: dark)').matches,
);
SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  presets: [SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout',
  validatorUrl: null,
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
});
`;

const OWN_STYLE = `body { margin: 0; }
.swagger-ui .info table thead tr th,
.swagger-ui .info table tbody tr td,
.swagger-ui .info table tbody tr td:first-of-type { padding: 2px 1em 2px 0; }
noscript { display: block; padding: 2rem; font: 1rem/1.5 sans-serif; }
`;

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';

export const ASSETS: ReadonlyMap<string, Asset> = new Map([
  ['swagger-ui.js', asset(script, JAVASCRIPT)],
  ['start.js', asset(START, JAVASCRIPT)],
  ['swagger-ui.css', asset(style, CSS)],
  ['page.css', asset(OWN_STYLE, CSS)],
]);

export const PAGE = asset(
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>pqrs API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/page.css">
<script src="/docs/swagger-ui.js" defer></script>
<script src="/docs/start.js" defer></script>
</head>
<body>
<div id="reference"></div>
<noscript>This page needs JavaScript; the document itself is at <a href="/openapi.json">/openapi.json</a>.</noscript>
</body>
</html>
`,
  'text/html; charset=utf-8',
);
