// Submits what a command gave: its report with how it was run and, where it did not pass, its evidence.
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Static } from '@sinclair/typebox';
import type { SuiteItemView } from '../../agents/suites/model.ts';
import { isArchive } from '../../evidence/attachments/lent-files.ts';
import type { TestRun } from '../../quality/runs/model.ts';
import { type Api, dataOf, Refused } from './api.ts';
import { type Finished, nameOf, type StoredFile } from './finish.ts';

export type SubmittedRun = Static<typeof TestRun>;

export interface Submission {
  item: SuiteItemView;
  lease: { id: string; token: string };
  agent: { name: string; version: string };
  environment: string | null;
  finished: Finished;
}

/**
 * Submits a run. Where the server does not take its evidence, what is left goes without.
 *
 * @throws Refused; Unreachable where the server does not come back in time
 */
export async function submitRun(api: Api, submission: Submission): Promise<SubmittedRun> {
  const { finished } = submission;
  const { files } = finished;
  try {
    return await sendForm(api, await formOf(submission));
  } catch (error) {
    if (!(error instanceof Refused) || !error.isOfBody || files.length === 0) throw error;
    const others = error.code === 'archive_refused' ? await withoutArchives(files) : [];
    const left = others.length < files.length ? others : [];
    return submitRun(api, { ...submission, finished: { ...finished, files: left } });
  }
}

async function withoutArchives(files: readonly StoredFile[]): Promise<StoredFile[]> {
  const heads = await Promise.all(files.map(({ path }) => readFile(path)));
  return files.filter((_, at) => !isArchive(heads[at] ?? Buffer.alloc(0)));
}

async function formOf(submission: Submission): Promise<FormData> {
  const { item, lease, agent, environment, finished } = submission;
  const { report, files, run } = finished;
  const { runId, attempt } = item;
  const { id, token } = lease;
  const name = nameOf(item).slice(0, 300);
  const fence = { runId, attempt, lease: { id, token } };
  const fields = { ...run, ...fence, agent, name, environment };
  const form = new FormData();
  form.append('run', JSON.stringify(fields));
  if (report !== null) form.append('report', await fileOf(report));
  for (const file of files) form.append('file', await fileOf(file));
  return form;
}

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
