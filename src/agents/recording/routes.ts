// The route that records test runs: a bare report, or a form with the report, what is said of the run,
// and files that go with it.

import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { unauthorized } from '../../access/caller.ts';
import { invalid } from '../../errors.ts';
import { createLinkMint } from '../../evidence/attachments/links.ts';
import { usualKind } from '../../evidence/attachments/rows.ts';
import { LinkTtl } from '../../evidence/issues/model.ts';
import { api } from '../../http/api/api.ts';
import { bodyOf, mediaTypeOf, readJson, requireUtf8, streamBody } from '../../http/api/body.ts';
import type { Served } from '../../http/api/context.ts';
import { requestHash } from '../../http/api/idempotency.ts';
import { queryOf } from '../../http/api/query.ts';
import { answers, ok, reply } from '../../http/api/reply.ts';
import { searchOf } from '../../http/api/request.ts';
import { bodyChunks } from '../../http/api/request-body.ts';
import { cleanFileName } from '../../http/files/content-disposition.ts';
import { sniffMediaType } from '../../http/files/media-type.ts';
import { gather, type Part, readMultipart } from '../../http/files/multipart.ts';
import type { Limits } from '../../limits.ts';
import type { OperationDocs } from '../../model/docs.ts';
import { closed } from '../../model/schemas.ts';
import {
  checkRunFields,
  fieldsOfQuery,
  RunFields,
  RunParameters,
  RunReport,
} from '../../quality/runs/fields.ts';
import { TestRun } from '../../quality/runs/model.ts';
import { runAttachmentView, runView } from '../../quality/runs/runs.ts';
import type { FileStore } from '../../store/files/files.ts';
import type { Agents } from '../agents.ts';
import { type ReceivedFile, type ReceivedReport, receiveReport } from './receive.ts';
import type { Submission } from './record.ts';
import type { WrittenRun } from './write.ts';

const JUNIT =
  '<testsuites name="checkout"><testsuite name="checkout.test.ts"><testcase name="takes a card [US-12]"/></testsuite></testsuites>';

const DOCS: OperationDocs = {
  description:
    'Records a test run from its report: JUnit XML, CTRF, TAP or our own JSON, bare or as the part `report` of a form, ' +
    'whose other files become attachments; what a report does not say comes as query, as the part `run` of the form, or ' +
    'at the top of our own JSON. The run is `broken` where its report is cut off, not well-formed, holds no result or none ' +
    'that ran, or disagrees with `execution`. The same `externalId` (else the `reportId` of the report) with the same body ' +
    'is answered with the run that is there.',
  bodyExample: {
    commandId: 'checkout',
    branch: 'main',
    execution: { exitCode: 0 },
    results: [{ name: 'takes a card [US-12]', file: 'checkout.test.ts', status: 'passed' }],
  },
  bodyExamples: {
    'application/xml': JUNIT,
    'text/xml': JUNIT,
    'text/tap': 'TAP version 14\n1..1\nok 1 - takes a card [US-12]\n',
    'multipart/form-data': {
      run: { commandId: 'checkout', execution: { exitCode: 0 } },
      report: '(the bytes of junit.xml)',
    },
  },
  replies: {
    200: { description: 'The run that the same submission made before' },
    201: { description: 'The run' },
    202: { description: 'The run, which came too late to count' },
  },
  problems: ['archive_refused'],
};

const binary = (description: string) => Type.String({ documentedFormat: 'binary', description });

/** As the API document describes them. What is checked of them is in the readers. */
const RUN_BODIES = {
  'application/json': RunReport,
  'application/xml': Type.String({ description: 'JUnit XML' }),
  'text/xml': Type.String({ description: 'JUnit XML' }),
  'application/vnd.ctrf+json': Type.Object(
    {},
    { additionalProperties: true, description: 'CTRF (https://ctrf.io)' },
  ),
  'text/tap': Type.String({ description: 'TAP 13 or 14' }),
  'multipart/form-data': Type.Object(
    {
      report: Type.Optional(binary('JUnit XML, CTRF, TAP or our own JSON')),
      run: Type.Optional(RunFields),
    },
    {
      title: 'RunForm',
      additionalProperties: binary("Any other file, under any name, becomes the run's attachment"),
    },
  ),
};

const Query = closed({ ...RunParameters.properties, linkTtl: LinkTtl });

export const recordRunRoutes = (agents: Served<Agents>) =>
  new Elysia({ name: 'test-runs-record', prefix: '/test-runs' }).use(api(agents)).post(
    '',
    async ({ request, caller, now, query, keyed, write }) => {
      const { files, limits, tokens, clock, signingKeys } = agents;
      const { linkTtl, ...parameters } = query;
      const { drop, ...received } = await receiveRun(files, limits, request);
      try {
        const form = JSON.stringify(received.form ?? 0);
        const parts = [mediaTypeOf(request), searchOf(request), form, ...received.contents];
        const hash = requestHash(...parts);
        const known = await keyed?.replay(hash);
        if (known) return reply(known.status as 200, known.body as Static<typeof TestRun>, known);
        // A body may be long in coming: a token that was revoked meanwhile writes nothing more.
        if (!tokens.isGood(caller.tokenId, clock())) throw unauthorized();
        // Loaded when the first run comes, for the sake of the start.
        const { recordRun } = await import('./record.ts');
        const submission = { ...received, query: fieldsOfQuery(parameters) };
        return await recordRun(agents, caller, now, submission, (work) =>
          write(async (tx) => {
            const mint = createLinkMint(signingKeys, caller, now, linkTtl);
            return replyOf(await work(tx), mint);
          }, hash),
        );
      } finally {
        await drop();
      }
    },
    {
      operation: { id: 'recordTestRun', docs: DOCS, slots: 'streams' },
      query: queryOf(Query),
      body: bodyOf({
        ...streamBody(RUN_BODIES, ({ reportBytes }) => reportBytes),
        limitOf: runBodyBytes,
      }),
      response: answers({ 200: TestRun, 201: TestRun, 202: TestRun }),
    },
  );

function replyOf(
  { row, attached, replayed }: WrittenRun,
  { urlOf }: ReturnType<typeof createLinkMint>,
) {
  const attachments = attached.map((one) => runAttachmentView(one, urlOf(one)));
  const view = runView(TestRun, row, attachments);
  const headers = { Location: `/api/test-runs?id=${row.id}` };
  if (row.late) return reply(202, view, { headers });
  return replayed ? ok(view) : reply(201, view, { headers });
}

interface ReceivedRun extends Omit<Submission, 'query'> {
  drop(): Promise<void>;
}

const MiB = 1024 * 1024;
const FORM_OVERHEAD_BYTES = MiB;
const RUN_PART_BYTES = 8 * MiB;

function runBodyBytes(limits: Limits, mediaType: string): number {
  if (mediaType !== 'multipart/form-data') return limits.reportBytes;
  const files = limits.attachmentsPerIssue * limits.attachmentBytes;
  return limits.reportBytes + files + RUN_PART_BYTES + FORM_OVERHEAD_BYTES;
}

async function receiveRun(
  store: FileStore,
  limits: Limits,
  request: Request,
): Promise<ReceivedRun> {
  const mediaType = mediaTypeOf(request);
  const chunks = bodyChunks(request, runBodyBytes(limits, mediaType), limits);
  if (mediaType === 'multipart/form-data') return receiveForm(store, limits, request, chunks);
  if (!mediaType.endsWith('xml')) requireUtf8(request);
  const report = await receiveReport(store, chunks, mediaType, limits.reportBytes);
  return { report, form: undefined, files: [], contents: [report.sha256], drop: report.drop };
}

async function receiveForm(
  store: FileStore,
  limits: Limits,
  request: Request,
  chunks: AsyncIterable<Uint8Array>,
): Promise<ReceivedRun> {
  let report: ReceivedReport | undefined;
  let form: RunFields | undefined;
  const files: ReceivedFile[] = [];
  const { reportBytes, attachmentsPerIssue: maxFiles, attachmentBytes } = limits;
  const drop = async () => {
    await report?.drop();
    for (const { file } of files) await file.discard();
  };

  async function take(part: Part): Promise<void> {
    const at = `/${part.name}`;
    if (part.name === 'run') {
      if (form) throw invalid(at, 'may be given once');
      form = checkRunFields(readJson(await gather(part.chunks, RUN_PART_BYTES)));
    } else if (part.name === 'report') {
      if (report) throw invalid(at, 'may be given once');
      report = await receiveReport(store, part.chunks, reportType(part.mediaType), reportBytes);
    } else if (files.length >= maxFiles) {
      throw invalid(at, `is one file too many: a run has at most ${maxFiles}`);
    } else {
      const file = await store.receive(part.chunks, { limitBytes: attachmentBytes });
      const name = cleanFileName(part.fileName ?? part.name);
      const received: ReceivedFile = { file, name, mediaType: '', kind: 'other' };
      files.push(received);
      received.mediaType = await sniffMediaType(file.head, name, part.mediaType ?? '');
      received.kind = usualKind(received.mediaType, name);
    }
  }

  try {
    const bounds = { totalBytes: runBodyBytes(limits, 'multipart/form-data') };
    const contentType = request.headers.get('content-type') ?? '';
    for await (const part of readMultipart(chunks, contentType, bounds)) {
      if (part.fileName === undefined && part.name !== 'report' && part.name !== 'run')
        throw invalid(`/${part.name}`, 'is not a field of this form; a file of it has a filename');
      await take(part);
    }
  } catch (error) {
    await drop();
    throw error;
  }
  const named = files.flatMap(({ file, name }) => [name, file.sha256]);
  return { report, form: form ?? {}, files, contents: [report?.sha256 ?? '', ...named], drop };
}

/** Clients give some media types to whatever they do not know. */
function reportType(mediaType: string | undefined): string | undefined {
  const known = mediaType?.toLowerCase();
  return known === 'application/octet-stream' || known === 'text/plain' ? undefined : known;
}
