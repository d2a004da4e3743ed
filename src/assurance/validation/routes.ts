// Routes of the validation transfer.

import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { actorOf } from '../../access/caller.ts';
import { invalid, notFound } from '../../errors.ts';
import { api, type Call } from '../../http/api/api.ts';
import { bodyOf, jsonBody } from '../../http/api/body.ts';
import type { Served } from '../../http/api/context.ts';
import { noQuery, queryOf } from '../../http/api/query.ts';
import { answers, made, nextLink, ok } from '../../http/api/reply.ts';
import { etagOf } from '../../model/etag.ts';
import {
  decodeAnchored,
  decodeCursor,
  filterHash,
  PAGE_DEFAULT,
  type Page,
  pageOf,
} from '../../model/pages.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';
import type { Assurance } from '../assurance.ts';
import { requireKnownTests } from '../results/test-fingerprints.ts';
import type { AssuranceState } from '../state/state.ts';
import { anchorOf, placeOfWalk, walkThrough } from '../state/walks.ts';
import { writeOnState } from '../state/write-on-state.ts';
import { takeBundle, verifyBundle, writeBundle } from './bundle.ts';
import { carryVerdicts } from './carry.ts';
import { countDispositions, renamedTo, type TransferItem } from './dispositions.ts';
import { TRANSFER_DOCS } from './docs.ts';
import {
  Bundle,
  CANDIDATES_SHOWN,
  TransferBody,
  type TransferFilters,
  type TransferInput,
  TransferQuery,
} from './model.ts';
import { type Decided, type Deciding, readTestContents, recordVerdicts } from './record.ts';
import { storyOf } from './renames.ts';
import { insertVerdicts, validationView } from './rows.ts';
import { History, TransferAnswer, TransferPage } from './schemas.ts';
import { itemsBehind, transferItems } from './transfer.ts';

export const validationRoutes = (assurance: Served<Assurance>) =>
  new Elysia({ name: 'validation-transfer', prefix: '/validation-transfer' })
    .use(api(assurance))
    .get('', (call) => readTransfer(assurance, call, call.query), {
      operation: { id: 'getValidationTransfer', docs: TRANSFER_DOCS.read },
      query: queryOf(TransferQuery),
      response: answers({ 200: Type.Union([TransferPage, History, Bundle]) }),
    })
    .post('', (call) => submitTransfer(assurance, call, call.body), {
      operation: { id: 'submitValidationTransfer', docs: TRANSFER_DOCS.write },
      query: noQuery,
      body: bodyOf({ ...jsonBody(TransferBody), limitOf: (limits) => limits.transferBytes }),
      response: answers({ 200: TransferAnswer }),
    });

async function readTransfer(assurance: Assurance, call: Call, query: TransferFilters) {
  const state = await assurance.states.of(call.caller.projectId);
  if (query.format === 'bundle') return bundle(assurance, state, call, query);
  if (query.view === 'history') return history(state, call.request, query);
  return transfer(assurance, state, call.request, query);
}

async function bundle(
  assurance: Assurance,
  state: AssuranceState,
  { caller, now }: Call,
  query: TransferFilters,
) {
  const { format: _format, ...others } = query;
  refuseOthers(others, 'format=bundle');
  const project = caller.project?.slug ?? '';
  const disposition = `attachment; filename="${project}-validations.json"`;
  return ok(writeBundle(state, project, await assurance.bundleKey(), now), {
    headers: { 'Content-Disposition': disposition },
  });
}

function refuseOthers(others: Partial<TransferFilters>, what: string): void {
  for (const [name, value] of Object.entries(others)) {
    if (value !== undefined) throw invalid(`/${name}`, `does not go with ${what}`);
  }
}

const LIST = 'getValidationTransfer';

function history(state: AssuranceState, request: Request, query: TransferFilters) {
  const { storyId, disposition, from, to, limit = PAGE_DEFAULT } = query;
  if (storyId?.length !== 1) throw invalid('/storyId', 'one is needed with view=history');
  refuseOthers({ disposition, from, to } as Partial<TransferFilters>, 'view=history');
  const filters = filterHash(LIST, query);
  // The newest first: the keys of a list rise.
  const keyOf = ({ seq }: ValidationRow) => -seq;
  const behind = decodeCursor(filters, query.cursor) ?? Number.NEGATIVE_INFINITY;
  const rows = (state.validationsOf.get(storyId[0] ?? '') ?? [])
    .toReversed()
    .filter((row) => keyOf(row) > behind);
  const page = pageOf(rows.slice(0, limit + 1), limit, filters, keyOf, validationView);
  return tagged<Static<typeof History>>(state, request, page);
}

async function transfer(
  assurance: Assurance,
  state: AssuranceState,
  request: Request,
  query: TransferFilters,
) {
  const { from, to = 'effective', disposition, storyId, limit = PAGE_DEFAULT } = query;
  requireRevision(state, from);
  const { items, against } = await transferItems(assurance, state, from, to);
  const filters = filterHash(LIST, query);
  const place = placeOfWalk(decodeAnchored(filters, query.cursor));
  const walk = await walkThrough(assurance, against, place);
  const clock = place?.beside ?? state.verdictClock;
  const passing = items.filter(
    (item) =>
      (!disposition || disposition.includes(item.disposition)) &&
      (!storyId || storyId.includes(item.storyId)),
  );
  const page = pageOf(
    itemsBehind(passing, walk, clock, place?.key).slice(0, limit + 1),
    limit,
    filters,
    ({ key }) => key,
    ({ item }) => itemView(item, storyOf(against, item.storyId)?.title ?? null),
    ({ key }) => anchorOf(walk, key, clock),
  );
  const revision = state.effective.revision?.number ?? 0;
  const head = { revision, from: from ?? null, to, counts: countDispositions(items) };
  return tagged<Static<typeof TransferPage>>(state, request, page, head);
}

function tagged<T extends Page<unknown>>(
  { effective }: AssuranceState,
  request: Request,
  page: Page<T['items'][number]>,
  head?: Omit<T, keyof Page<unknown>>,
) {
  const text = JSON.stringify({ ...head, ...page });
  const etag = etagOf(effective.revision?.number ?? 0, text);
  return made<T>({ text, etag, headers: nextLink(request, page) });
}

/** @throws Problem `not_found` where it has not come yet */
function requireRevision({ effective }: AssuranceState, number: number | undefined): void {
  if (number !== undefined && number > (effective.revision?.number ?? 0))
    throw notFound('revision');
}

function itemView(item: TransferItem, title: string | null) {
  const { storyId, disposition, validation, candidates, why } = item;
  const open = disposition === 'ambiguous' ? candidates : [];
  return {
    storyId,
    title,
    disposition,
    validation: validation && validationView(validation),
    renamedTo: renamedTo(item),
    candidates: open.slice(0, CANDIDATES_SHOWN),
    candidateCount: open.length,
    why,
  };
}

const TAKEN: Record<TransferInput['mode'], readonly (keyof TransferInput)[]> = {
  record: ['results'],
  carry: ['storyIds', 'from', 'acceptSuspect'],
  bundle: ['bundle'],
};

async function submitTransfer(assurance: Assurance, call: Call, body: TransferInput) {
  const { caller, now } = call;
  const [required, ...others] = TAKEN[body.mode];
  if (required && body[required] === undefined)
    throw invalid(`/${required}`, `is required with mode ${body.mode}`);
  for (const name of Object.keys(body)) {
    if (!['mode', required, ...others].includes(name))
      throw invalid(`/${name}`, `does not go with mode ${body.mode}`);
  }
  // What a write reads of files must be in memory by then.
  if (body.mode === 'carry')
    await transferItems(assurance, await assurance.states.of(caller.projectId), body.from);
  return writeOnState(assurance, call, ['validations'], async (db, state) => {
    const { outcomes, rows } = await decide(
      assurance,
      { state, actor: actorOf(caller), now },
      body,
    );
    await insertVerdicts(db, rows);
    const refused = outcomes.length - rows.length;
    return ok({ applied: rows.length, refused, items: outcomes });
  });
}

async function decide(
  assurance: Assurance,
  deciding: Deciding,
  body: TransferInput,
): Promise<Decided> {
  const { state } = deciding;
  const { mode, results = [], from, storyIds, acceptSuspect = false, bundle: taken } = body;
  if (mode === 'bundle' && taken) {
    verifyBundle(taken, state.effective.settings.trustedKeys);
    return takeBundle(deciding, taken);
  }
  if (mode === 'record') {
    requireKnownTests(state, results);
    const contents = await readTestContents(assurance.database.read, state, results);
    return recordVerdicts(deciding, results, contents);
  }
  requireRevision(state, from);
  const { items } = await transferItems(assurance, state, from);
  return carryVerdicts(
    deciding,
    items,
    Array.isArray(storyIds) ? storyIds : undefined,
    acceptSuspect,
  );
}
