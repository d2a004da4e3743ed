// Says what to type where `bun test` is run before the packages are there.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

if (!existsSync(join(import.meta.dir, '..', '..', 'node_modules'))) {
  console.error('The packages are not installed: type `bun install`, then `bun test`.');
  process.exit(1);
}
