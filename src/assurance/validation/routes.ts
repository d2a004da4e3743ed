// Routes of the validation transfer.

import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { actorOf } from '../../access/caller.ts';
import { invalid, notFound } from '../../errors.ts';
import { api, type Call } from '../../http/api/api.ts';
import { bodyOf, jsonBody } from '../../http/api/body.ts';
import type { Served } from '../../http/api/context.ts';
import { noQuery, queryOf } from '../../http/api/query.ts';
import { answers, nextLink, ok, tagged } from '../../http/api/reply.ts';
import type { OperationDocs } from '../../model/docs.ts';
import {
  decodeAnchored,
  decodeCursor,
  filterHash,
  PAGE_DEFAULT,
  pageOf,
} from '../../model/pages.ts';
import { requireOnly } from '../../model/validate.ts';
import type { Assurance } from '../assurance.ts';
import type { AssuranceState } from '../state/state.ts';
import {
  anchorOf,
  GONE_KEY,
  placeOfWalk,
  WALK_TEXT,
  type Walk,
  walkThrough,
} from '../state/walks.ts';
import { writeOnState } from '../state/write-on-state.ts';
import { changedTexts } from './changed-texts.ts';
import {
  carryVerdicts,
  countCarriable,
  type Decided,
  type Deciding,
  recordVerdicts,
  takeBundle,
  verifyBundle,
  writeBundle,
} from './decide.ts';
import { countDispositions, type TransferItem } from './dispositions.ts';
import {
  Bundle,
  History,
  TransferAnswer,
  TransferBody,
  type TransferFilters,
  type TransferInput,
  TransferPage,
  TransferQuery,
  Validation,
} from './model.ts';
import { effectiveOfTarget, transferItems } from './transfer.ts';
import { insertVerdicts, storyOf, validationView } from './verdicts.ts';

const TRANSFER_DOCS = {
  read: {
    description:
      'What becomes of verdicts as requirements change. `restored`: an earlier verdict is on what the story says again; ' +
      '`invalidated`: it has changed; `suspect`: what it rests on has; `suspect_test`: a test that it went by changed or ' +
      'went; `transferable`: all is as it was; `renamed`, `ambiguous`, `orphaned`: the story is gone, and one, several or ' +
      'no new ones have its text; `missing`: never judged. `was` and `now` are what a changed or gone story said and says, ' +
      `\`via\` the same of what made one suspect. ${WALK_TEXT} Judged stories that are gone come last.`,
    replies: {
      200: { description: 'Items, verdicts, or a bundle', headers: ['ETag', 'Link'] },
    },
    problems: ['not_found'],
  },
  write: {
    description:
      '`record` takes verdicts of people on stories as they are. `carry` says again what was said of `storyIds`, or of all ' +
      'that is `transferable`, `restored` or `renamed`; those that are `suspect` or `suspect_test` only with ' +
      '`acceptSuspect`. `bundle` takes the verdicts of another instance whose key is among `settings.trustedKeys`; they ' +
      'never replace newer ones. Each result is applied by itself.',
    bodyExample: { mode: 'record', results: [{ storyId: 'US-12', verdict: 'passed' }] },
    replies: { 200: { description: 'What was applied, item by item' } },
    problems: ['not_found', 'untrusted_key'],
  },
} satisfies Record<string, OperationDocs>;

export const validationRoutes = (assurance: Served<Assurance>) =>
  new Elysia({ name: 'validation-transfer', prefix: '/validation-transfer' })
    .use(api(assurance))
    .get('', (call) => readTransfer(assurance, call, call.query), {
      operation: { id: 'getValidationTransfer', docs: TRANSFER_DOCS.read },
      query: queryOf(TransferQuery),
      response: answers({ 200: Type.Union([TransferPage, History, Validation, Bundle]) }),
    })
    .post('', (call) => submitTransfer(assurance, call, call.body), {
      operation: { id: 'submitValidationTransfer', docs: TRANSFER_DOCS.write },
      query: noQuery,
      body: bodyOf({ ...jsonBody(TransferBody), limitOf: (limits) => limits.transferBytes }),
      response: answers({ 200: TransferAnswer }),
    });

const OF_HISTORY = ['view', 'format', 'storyId', 'limit', 'cursor'];

async function readTransfer(assurance: Assurance, call: Call, query: TransferFilters) {
  const state = await assurance.states.of(call.caller.projectId);
  if (query.format === 'bundle') {
    requireOnly(query, ['format'], 'format=bundle');
    const project = call.caller.project?.slug ?? '';
    const disposition = `attachment; filename="${project}-validations.json"`;
    return ok(writeBundle(state, project, await assurance.bundleKey(), call.now), {
      headers: { 'Content-Disposition': disposition },
    });
  }
  if (query.id !== undefined) return readVerdict(state, query.id);
  if (query.view !== 'history') return transfer(assurance, state, call.request, query);
  requireOnly(query, OF_HISTORY, 'view=history');
  return history(state, call.request, query);
}

const LIST = 'getValidationTransfer';

function readVerdict({ validationsOf, effective }: AssuranceState, id: string) {
  const row = [...validationsOf.values()].flat().find((one) => one.id === id);
  if (!row) throw notFound('validation');
  return tagged<Static<typeof Validation>>(effective, validationView(row));
}

function history(state: AssuranceState, request: Request, query: TransferFilters) {
  const { storyId = [], limit = PAGE_DEFAULT } = query;
  if (storyId.length !== 1) throw invalid('/storyId', 'one is needed with view=history');
  const filters = filterHash(LIST, query);
  // The keys of a list rise.
  const behind = decodeCursor(filters, query.cursor) ?? Number.NEGATIVE_INFINITY;
  const rows = (state.validationsOf.get(storyId[0] ?? '') ?? []).filter(({ seq }) => -seq > behind);
  const newest = rows.toReversed().slice(0, limit + 1);
  const page = pageOf(newest, limit, filters, ({ seq }) => -seq, validationView);
  return tagged<Static<typeof History>>(state.effective, page, nextLink(request, page));
}

/** Items in the order of a walk, and behind it those of the stories that it does not have. */
async function transfer(
  assurance: Assurance,
  state: AssuranceState,
  request: Request,
  query: TransferFilters,
) {
  const { from, to = 'effective', disposition, storyId, limit = PAGE_DEFAULT } = query;
  requireRevision(state, from);
  const against = await effectiveOfTarget(assurance, state.effective, to);
  const items = transferItems(state, from, against);
  const filters = filterHash(LIST, query);
  const place = placeOfWalk(decodeAnchored(filters, query.cursor));
  const walk = await walkThrough(assurance, against, place);
  const behind = items
    .filter(
      (item) =>
        (!disposition || disposition.includes(item.disposition)) &&
        (!storyId || storyId.includes(item.storyId)),
    )
    .map((item) => ({ item, key: keyOf(state, walk, item) }))
    .filter(({ key }) => key > (place?.key ?? -1) && key < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.key - b.key);
  const shown = behind.slice(0, limit).map(({ item }) => item);
  const textsOf = await changedTexts(assurance, state.effective, against, shown);
  const page = pageOf(
    behind.slice(0, limit + 1),
    limit,
    filters,
    ({ key }) => key,
    ({ item }) => ({
      ...itemView(item, storyOf(against, item.storyId)?.title ?? null),
      ...textsOf(item),
    }),
    () => anchorOf(walk, 0),
  );
  const body: Static<typeof TransferPage> = {
    revision: state.effective.revision?.number ?? 0,
    from: from ?? null,
    to,
    counts: countDispositions(items),
    carriable: countCarriable(state, items),
    ...page,
  };
  return tagged(state.effective, body, nextLink(request, page));
}

/** Infinite for a story that came since the walk began and that nobody has judged. */
function keyOf({ validationsOf }: AssuranceState, walk: Walk, { storyId }: TransferItem): number {
  const [first] = validationsOf.get(storyId) ?? [];
  return walk.keyOf(storyId) ?? GONE_KEY + (first?.seq ?? Number.POSITIVE_INFINITY);
}

/** @throws Problem `not_found` where it has not come yet */
function requireRevision({ effective }: AssuranceState, number: number | undefined): void {
  if (number !== undefined && number > (effective.revision?.number ?? 0))
    throw notFound('revision');
}

function itemView(item: TransferItem, title: string | null) {
  const { validation } = item;
  return { ...item, title, validation: validation && validationView(validation) };
}

const FIELDS = {
  record: ['results'],
  carry: ['storyIds', 'from', 'acceptSuspect'],
  bundle: ['bundle'],
} as const;

async function submitTransfer(assurance: Assurance, call: Call, body: TransferInput) {
  const { caller, now } = call;
  const [required, ...others] = FIELDS[body.mode];
  if (body[required] === undefined)
    throw invalid(`/${required}`, `is required with mode ${body.mode}`);
  requireOnly(body, ['mode', required, ...others], `mode ${body.mode}`);
  return writeOnState(assurance, call, ['validations'], async (db, state) => {
    const deciding = { state, actor: actorOf(caller), now };
    const { outcomes, rows } = decide(deciding, body);
    await insertVerdicts(db, rows);
    const refused = outcomes.length - rows.length;
    return ok({ applied: rows.length, refused, items: outcomes });
  });
}

function decide(
  deciding: Deciding,
  { mode, results = [], from, storyIds, acceptSuspect = false, bundle }: TransferInput,
): Decided {
  const { state } = deciding;
  if (mode === 'bundle' && bundle) {
    verifyBundle(bundle, state.effective.settings.trustedKeys);
    return takeBundle(deciding, bundle);
  }
  if (mode === 'record') return recordVerdicts(deciding, results);
  requireRevision(state, from);
  const asked = Array.isArray(storyIds) ? storyIds : undefined;
  return carryVerdicts(deciding, transferItems(state, from), asked, acceptSuspect);
}
