// The built console. In the executable the build puts the text itself in this module's place.
import { readFile } from 'node:fs/promises';

/** What `npm run build` made of src/console, as JSON: `{ page, files }`. */
export function builtConsole(): Promise<string> {
  return readFile(new URL('../../../dist/console.json', import.meta.url), 'utf8');
}
