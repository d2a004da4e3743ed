// Test reports: reading JUnit of 100,000 cases as a stream, against a bare parse of the same bytes,
// and the memory that it takes, measured in a process of its own.
import { SaxesParser } from 'saxes';
import { readReport } from '../../src/quality/read-report.ts';
import { type Bench, mebibytes, type Row, short, whole } from './bench.ts';
import { median } from './statistics.ts';

const CASES = 100_000;
const PER_SUITE = 100;
const ROUNDS = 7;
const CHUNK = 64 * 1024;

export const reports: Bench = async ({ say }) => {
  const { growth } = memoryInChild();
  const chunks = [...chunksOf(CASES)];
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const times: { bare: number; own: number }[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const bare = await timed(() => bareParse(chunks));
    const own = await timed(() => readAll(chunks));
    if (round > 0) times.push({ bare, own });
    say(`reports: saxes ${short(bare)} ms, read with keys ${short(own)} ms`);
  }
  const ratio = median(times.map(({ bare, own }) => bare / own));
  const own = median(times.map((time) => time.own));
  const rows: Row[] = [
    {
      work: `JUnit report of ${whole(CASES)} cases (${mebibytes(bytes)}) read with keys, against a bare saxes parse`,
      measured: `${short(ratio)} of its rate: ${whole((CASES / own) * 1000)} cases/s`,
      limit: 'at least 0.5',
      ok: ratio >= 0.5,
    },
    {
      work: 'the memory that grows meanwhile',
      measured: mebibytes(growth),
      limit: 'less than 100 MiB',
      ok: growth < 100 * 2 ** 20,
    },
  ];
  return rows;
};

/** A report as bun writes it: every twentieth case failed, every tenth names a story. */
function* chunksOf(cases: number): Generator<Uint8Array> {
  let text = `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="bun test" tests="${cases}" failures="${cases / 20}" skipped="0" time="10.5">\n`;
  for (let suite = 0; suite < cases / PER_SUITE; suite += 1) {
    const file = `test/unit/part-${suite % 20}/file-${suite}.test.ts`;
    text += `<testsuite name="${file}" file="${file}" tests="${PER_SUITE}" failures="${PER_SUITE / 20}" skipped="0" time="0.1" hostname="vm">\n`;
    for (let at = 0; at < PER_SUITE; at += 1) text += caseOf(file, at);
    text += '</testsuite>\n';
    while (text.length >= CHUNK) {
      yield new TextEncoder().encode(text.slice(0, CHUNK));
      text = text.slice(CHUNK);
    }
  }
  yield new TextEncoder().encode(`${text}</testsuites>\n`);
}

function caseOf(file: string, at: number): string {
  const link = at % 10 === 0 ? ` [US-${at}]` : '';
  const open = `<testcase name="does the ${at}th of its things${link}" classname="" time="0.00${at}" file="${file}" line="${at * 7 + 3}" assertions="2"`;
  if (at % 20 !== 0) return `${open} />\n`;
  return `${open}>\n<failure type="AssertionError" message="expected &lt;${at}&gt;">AssertionError: expected&#10;      at ${file}:${at}:37&#10;</failure>\n</testcase>\n`;
}

async function bareParse(chunks: readonly Uint8Array[]): Promise<void> {
  const parser = new SaxesParser();
  const decoder = new TextDecoder();
  let cases = 0;
  parser.on('opentag', ({ name }) => {
    if (name === 'testcase') cases += 1;
  });
  for (const chunk of chunks) parser.write(decoder.decode(chunk, { stream: true }));
  parser.close();
  if (cases !== CASES) throw new Error(`${cases} cases`);
}

async function readAll(chunks: Iterable<Uint8Array>, batch?: () => void): Promise<void> {
  let [results, keys] = [0, 0];
  for await (const part of readReport(chunks, { format: 'junit', root: '/home/ci/project' })) {
    if (part.type === 'summary') continue;
    results += part.results.length;
    keys += part.results[0]?.testKey.length ?? 0;
    batch?.();
  }
  if (results !== CASES || keys === 0) throw new Error(`${results} results`);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function memoryInChild(): { growth: number } {
  const child = Bun.spawnSync([process.execPath, import.meta.path], { stderr: 'inherit' });
  return JSON.parse(child.stdout.toString()) as { growth: number };
}

/** How far the resident memory goes over what it was before, a small report read already. */
async function memoryGrowth(): Promise<number> {
  for await (const part of readReport(chunksOf(1000))) if (part.type === 'summary') Bun.gc(true);
  const before = process.memoryUsage.rss();
  let most = before;
  await readAll(chunksOf(CASES), () => {
    most = Math.max(most, process.memoryUsage.rss());
  });
  return most - before;
}

if (import.meta.main) console.log(JSON.stringify({ growth: await memoryGrowth() }));
