// `npm run bench [name ...] [-- --beside pocketbase]`: measures the service beside what it is measured against and prints a
// table. Times depend on the machine, so nothing here fails on one.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { executable, isFresh } from '../build-state.mjs';
import { type Bench, type Row, tableOf } from './bench.ts';
import { besidePocketbase } from './beside-pocketbase.ts';
import { consoleBench } from './console.ts';
import { creates } from './creates.ts';
import { download } from './download.ts';
import { filters } from './filters.ts';
import { graph } from './graph.ts';
import { handoff } from './handoff.ts';
import { heartbeats } from './heartbeats.ts';
import { imports } from './import.ts';
import { lists } from './lists.ts';
import { mixed } from './mixed.ts';
import { plan } from './plan.ts';
import { random } from './random.ts';
import { reads } from './reads.ts';
import { reports } from './reports.ts';
import { results } from './results.ts';
import { routes } from './routes.ts';
import { removeFolders, temporaryFolder } from './running.ts';
import { search } from './search.ts';
import { stalls } from './stalls.ts';
import { start } from './start.ts';
import { stories } from './stories.ts';
import { tokens } from './tokens.ts';
import { transfer } from './transfer.ts';
import { upload } from './upload.ts';

const BENCHES: Record<string, Bench> = {
  reads,
  random,
  creates,
  search,
  heartbeats,
  lists,
  filters,
  start,
  download,
  upload,
  mixed,
  graph,
  import: imports,
  stories,
  stalls,
  handoff,
  routes,
  reports,
  results,
  tokens,
  transfer,
  plan,
  console: consoleBench,
};

const besides: Record<string, Bench> = { pocketbase: besidePocketbase };
const { values, positionals: named } = parseArgs({
  allowPositionals: true,
  options: { beside: { type: 'string' } },
});
const beside = values.beside === undefined ? undefined : besides[values.beside];
if (values.beside !== undefined && beside === undefined) {
  console.error(
    `Nothing is measured beside "${values.beside}": ${Object.keys(besides).join(', ')}.`,
  );
  process.exit(2);
}
const unknown = named.find((name) => !(name in BENCHES));
if (unknown !== undefined) {
  console.error(`There is no bench "${unknown}": ${Object.keys(BENCHES).join(', ')}.`);
  process.exit(2);
}

const say = (text: string) => console.error(`  ${text}`);
const rows: Row[] = [];
try {
  if (!isFresh()) build([]);
  const folder = join(temporaryFolder(), 'bin');
  mkdirSync(folder);
  const [pqrs, bare, plain] = ['pqrs', 'bare', 'plain'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const ground = { pqrs, bare, plain, say };
  await Bun.write(pqrs, Bun.file(executable), { mode: 0o755 });
  build(['--entry', 'scripts/bench/bare-server.ts', '--outfile', bare]);
  const entry = new URL('./bare-server.ts', import.meta.url).pathname;
  await Bun.build({ entrypoints: [entry], compile: { outfile: plain } });
  const all = beside && named.length === 0 ? [] : Object.keys(BENCHES);
  for (const name of named.length > 0 ? named : all) {
    console.error(`${name} ...`);
    rows.push(...((await BENCHES[name]?.(ground)) ?? []));
  }
  if (beside) {
    console.error(`beside ${values.beside} ...`);
    rows.push(...(await beside(ground)));
  }
} finally {
  removeFolders();
}
console.log(tableOf(rows));
process.exit(0);

function build(options: string[]): void {
  const script = new URL('../build.ts', import.meta.url).pathname;
  const { exitCode } = Bun.spawnSync([process.execPath, script, ...options], {
    stdout: 'inherit',
    stderr: 'inherit',
  });
  if (exitCode !== 0) throw new Error('the build failed');
}
