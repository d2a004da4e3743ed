// Writes the API document to test/fixtures/openapi.json, where its changes are seen in review:
// `node scripts/run.mjs scripts/openapi.ts`.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiDocument } from '../src/app.ts';
import { documentText } from '../src/http/document/document.ts';
import { root } from './install.mjs';

const file = join(root, 'test', 'fixtures', 'openapi.json');
writeFileSync(file, documentText(await apiDocument()));
