// Sends the form of a run, and shows what became of it.
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Static } from '@sinclair/typebox';
import type { SuiteItemView } from '../../agents/suites/model.ts';
import type { TestRun } from '../../quality/runs/model.ts';
import { print } from '../command.ts';
import { type Api, dataOf } from './api.ts';
import { nameOf, type StoredFile } from './run-item.ts';

export type SubmittedRun = Static<typeof TestRun>;

type FormFile = Omit<StoredFile, 'name'> & { name?: string };

export async function fileOf({ path, name = basename(path), mediaType }: FormFile): Promise<File> {
  return new File([await readFile(path)], name, { type: mediaType });
}

/** @throws Refused; Unreachable */
export function sendForm(api: Api, form: FormData): Promise<SubmittedRun> {
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const sent = api['test-runs'].post(undefined, { headers, fetch: { body: form } });
  return dataOf(sent, 'the report was refused');
}

type Ending = 'passed' | 'failed' | 'broken' | 'cancelled' | 'lost';

const MAX_LINE = 500;

export interface ItemEnd {
  ending: Ending;
  durationMs?: number;
  run?: SubmittedRun;
  /** Further lines that say why. */
  why: readonly string[];
}

export function warn(text: string): void {
  process.stderr.write(`pqrs: ${text}\n`);
}

export function printItem(item: SuiteItemView, { ending, durationMs, run, why }: ItemEnd): void {
  const took = durationMs === undefined ? '' : `${(durationMs / 1000).toFixed(1)} s`;
  const totals = run === undefined ? '' : `  ${totalsText(run.totals)}`;
  print(`${ending.padEnd(9)}  ${took.padStart(8)}  ${onOneLine(nameOf(item))}${totals}`);
  for (const text of whyNot(run, why)) print(`${' '.repeat(21)}${onOneLine(text)}`);
}

export function onOneLine(text: string): string {
  const flat = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
  return flat.length <= MAX_LINE ? flat : `${flat.slice(0, MAX_LINE - 1)}…`;
}

/** Why a run is not what it could be: a line each. */
export function whyNot(run: SubmittedRun | undefined, why: readonly string[] = []): string[] {
  const late = 'late: the item was taken from this agent, the report does not count';
  const errors = (run?.harnessErrors ?? []).map(({ code, detail }) => `${code}: ${detail}`);
  return [...(run?.late ? [late] : []), ...errors, ...why];
}

export function totalsText(totals: SubmittedRun['totals']): string {
  const kinds = ['passed', 'failed', 'broken', 'skipped', 'unknown', 'flaky'] as const;
  const counts = kinds.filter((kind) => totals[kind] > 0).map((kind) => `${totals[kind]} ${kind}`);
  const tests = `${totals.tests} ${totals.tests === 1 ? 'test' : 'tests'}`;
  return counts.length === 0 ? tests : `${tests}: ${counts.join(', ')}`;
}
