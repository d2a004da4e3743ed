// Routes of the validation transfer.

import { actorOf } from '../../access/caller.ts';
import { invalid, notFound } from '../../errors.ts';
import { type BodyReader, jsonBody } from '../../http/api/body.ts';
import { type Call, endpoint } from '../../http/api/endpoint.ts';
import { nextLink, ok, type Reply } from '../../http/api/reply.ts';
import { etagOf } from '../../model/etag.ts';
import {
  decodeAnchored,
  decodeCursor,
  filterHash,
  PAGE_DEFAULT,
  pageOf,
} from '../../model/pages.ts';
import { firstBehind } from '../../quality/keyed-page.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';
import type { Assurance } from '../assurance.ts';
import { requireKnownTests } from '../results/known-tests.ts';
import type { AssuranceState } from '../state/state.ts';
import { anchorOf, placeOfWalk, walkThrough } from '../state/walks.ts';
import { writeOnState } from '../state/write-on-state.ts';
import { takeBundle, verifyBundle, writeBundle } from './bundle.ts';
import { carryVerdicts } from './carry.ts';
import { countDispositions, renamedTo, type TransferItem } from './dispositions.ts';
import {
  CANDIDATES_SHOWN,
  TransferBody,
  type TransferFilters,
  type TransferInput,
  TransferQuery,
} from './model.ts';
import { type Decided, readTestContents, recordVerdicts } from './record.ts';
import { storyOf } from './renames.ts';
import { insertVerdicts, validationView } from './rows.ts';
import { inWalkOrder, itemKey, transferItems } from './transfer.ts';

type TransferCall = Call<TransferFilters, undefined>;

export function readValidationTransfer(assurance: Assurance) {
  return endpoint({
    docs: async () => (await import('./docs.ts')).TRANSFER_DOCS.read,
    query: TransferQuery,
    async handler(call): Promise<Reply> {
      const { query, caller, now } = call;
      const state = await assurance.states.of(caller.projectId);
      if (query.format === 'bundle') {
        requireAlone(query, 'format=bundle');
        const project = caller.project?.slug ?? '';
        const bundle = writeBundle(state, project, await assurance.bundleKey(), now);
        const headers = {
          'Content-Disposition': `attachment; filename="${project}-validations.json"`,
        };
        return ok(bundle, { headers });
      }
      if (query.view === 'history') return history(state, call);
      return transfer(assurance, state, call);
    },
  });
}

function requireAlone(query: TransferFilters, what: string): void {
  const others = ['view', 'storyId', 'disposition', 'from', 'to', 'limit', 'cursor'] as const;
  for (const name of others) {
    if (query[name] !== undefined) throw invalid(`/${name}`, `does not go with ${what}`);
  }
}

function history(state: AssuranceState, { query, request }: TransferCall): Reply {
  const { storyId } = query;
  if (storyId?.length !== 1) throw invalid('/storyId', 'one is needed with view=history');
  for (const name of ['disposition', 'from', 'to'] as const) {
    if (query[name] !== undefined) throw invalid(`/${name}`, 'does not go with view=history');
  }
  // The newest first: the keys of a list rise.
  const rows = (state.validationsOf.get(storyId[0] ?? '') ?? []).toReversed();
  const behind = decodeCursor(filterHash(LIST, query), query.cursor);
  const keyOf = ({ seq }: ValidationRow) => -seq;
  return listed(state, query, request, { rows, head: {}, behind, keyOf, viewOf: validationView });
}

async function transfer(
  assurance: Assurance,
  state: AssuranceState,
  { query, request }: TransferCall,
): Promise<Reply> {
  const { from, to = 'effective', disposition, storyId } = query;
  requireRevision(state, from);
  const { items: all, against } = await transferItems(assurance, state, from, to);
  const place = placeOfWalk(decodeAnchored(filterHash(LIST, query), query.cursor));
  const walk = await walkThrough(assurance, against, place);
  const clock = place?.beside ?? state.verdictClock;
  const passing = all.filter(
    (item) =>
      (!disposition || disposition.includes(item.disposition)) &&
      (!storyId || storyId.includes(item.storyId)),
  );
  const isToday = walk.isToday && clock === state.verdictClock;
  const rows = isToday ? passing : inWalkOrder(passing, walk, clock);
  const counts = countDispositions(all);
  const head = {
    ...{ revision: state.effective.revision?.number ?? 0, from: from ?? null, to, counts },
  };
  const list = {
    ...{ rows, head, behind: place?.key },
    keyOf: (item: TransferItem) => itemKey(item, walk, clock) ?? 0,
    viewOf: (item: TransferItem) => itemView(item, storyOf(against, item.storyId)?.title ?? null),
    anchorOf: (key: number) => anchorOf(walk, key, clock),
  };
  return listed(state, query, request, list);
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

interface Listed<T> {
  /** With keys that rise. */
  rows: readonly T[];
  /** What the answer says beside the page. */
  head: object;
  /** The key of the row seen last. */
  behind: number | undefined;
  keyOf(row: T): number;
  viewOf(row: T): unknown;
  anchorOf?(key: number): string;
}

/** What cursors are made for. */
const LIST = 'getValidationTransfer';

/** A page of a list. */
function listed<T>(
  { effective }: AssuranceState,
  query: TransferFilters,
  request: Request,
  { rows, head, behind, keyOf, viewOf, anchorOf: anchor }: Listed<T>,
): Reply {
  const limit = query.limit ?? PAGE_DEFAULT;
  const from =
    behind === undefined ? 0 : firstBehind(rows.length, (at) => keyOf(rows[at] as T) > behind);
  const page = pageOf(
    rows.slice(from, from + limit + 1),
    limit,
    filterHash(LIST, query),
    keyOf,
    viewOf,
    anchor && ((row) => anchor(keyOf(row))),
  );
  const text = JSON.stringify({ ...head, ...page });
  const etag = etagOf(effective.revision?.number ?? 0, text);
  return ok(undefined, { text, etag, headers: nextLink(request, page) });
}

const transferBody: BodyReader<TransferInput> = {
  ...jsonBody(TransferBody),
  limitOf: (limits) => limits.transferBytes,
};

/** The members that each mode takes beside itself. */
const TAKEN: Record<TransferInput['mode'], readonly string[]> = {
  record: ['results'],
  carry: ['from', 'storyIds', 'acceptSuspect'],
  bundle: ['bundle'],
};

export function submitValidationTransfer(assurance: Assurance) {
  return endpoint({
    docs: async () => (await import('./docs.ts')).TRANSFER_DOCS.write,
    body: transferBody,
    async handler(call) {
      const { body, caller, now } = call;
      requireMembers(body);
      // What a write reads of files must be in memory by then.
      if (body.mode === 'carry')
        await transferItems(assurance, await assurance.states.of(caller.projectId), body.from);
      return writeOnState(assurance, call, ['validations'], async (db, state) => {
        const deciding = { state, actor: actorOf(caller), now };
        const { outcomes, rows } = await decide(assurance, deciding, body);
        await insertVerdicts(db, rows);
        return ok({
          applied: rows.length,
          refused: outcomes.length - rows.length,
          items: outcomes,
        });
      });
    },
  });
}

function requireMembers(body: TransferInput): void {
  const { mode } = body;
  const [needed] = mode === 'carry' ? ['storyIds'] : TAKEN[mode];
  if (needed !== undefined && body[needed as keyof TransferInput] === undefined)
    throw invalid(`/${needed}`, `is required with mode ${mode}`);
  for (const name of Object.keys(body)) {
    if (name !== 'mode' && !TAKEN[mode].includes(name))
      throw invalid(`/${name}`, `does not go with mode ${mode}`);
  }
}

async function decide(
  assurance: Assurance,
  deciding: Parameters<typeof recordVerdicts>[0],
  body: TransferInput,
): Promise<Decided> {
  const { mode, results = [], from, storyIds, acceptSuspect = false, bundle } = body;
  if (mode === 'bundle' && bundle) {
    verifyBundle(bundle, deciding.state.effective.settings.trustedKeys);
    return takeBundle(deciding, bundle);
  }
  if (mode === 'record') {
    requireKnownTests(deciding.state, results);
    const contents = await readTestContents(assurance.database.read, deciding.state, results);
    return recordVerdicts(deciding, results, contents);
  }
  requireRevision(deciding.state, from);
  const { items } = await transferItems(assurance, deciding.state, from);
  const asked = Array.isArray(storyIds) ? storyIds : undefined;
  return carryVerdicts(deciding, items, asked, acceptSuspect);
}
