// A data folder with many issues, made once for the benches of a run that need it.
import { whole } from './bench.ts';
import { startPqrs } from './running.ts';
import { settle } from './search.ts';
import { seedIssues } from './seed.ts';

export const MANY = 100_000;

let grown: Promise<string> | undefined;

/** The path of the folder; its server has ended well. */
export function grownFolder(pqrs: string, say: (text: string) => void): Promise<string> {
  grown ??= make(pqrs, say);
  return grown;
}

async function make(pqrs: string, say: (text: string) => void): Promise<string> {
  const server = await startPqrs(pqrs);
  const began = performance.now();
  await seedIssues(server, MANY);
  say(`${whole(MANY)} issues filed in ${((performance.now() - began) / 1000).toFixed(1)} s`);
  await settle(server);
  await server.stop();
  return server.dataDir;
}
