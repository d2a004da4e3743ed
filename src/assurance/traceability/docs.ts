// What the API document says of the traceability.
import type { OperationDocs } from '../../model/docs.ts';
import { shareOf } from '../../quality/runs/share.ts';
import { GAP_KINDS } from '../coverage/gaps.ts';
import { COVERAGE_STATUSES } from '../coverage/model.ts';
import { IMPACT_EXAMPLE } from '../overlay/docs.ts';

const LOBSTER_EXAMPLE = {
  data: [
    {
      tag: 'req US-13@9c271431c79d',
      name: 'A receipt',
      messages: [],
      refs: [],
      location: { kind: 'file', file: 'stories.md', line: 7, column: null },
      just_up: [],
      just_down: [],
      just_global: [],
      framework: 'pqrs',
      kind: 'story',
      text: 'As a customer I have one.',
      status: null,
    },
  ],
  generator: 'pqrs',
  schema: 'lobster-req-trace',
  version: 3,
};

const TEXT_EXAMPLES = {
  'text/csv': 'storyId,kind,title,status,inherited,needsMet,…',
  'text/html':
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Traceability of shop</title>\n…',
};

const TARGET = { kind: 'test', id: 't1:4ca495991b7852b855' };

export const TRACE_EXAMPLE = {
  id: 'trc_01k2z3a4b5c6d7e8f9g0h1j2k6',
  storyId: 'US-12',
  type: 'verifies',
  target: TARGET,
  targetName: null,
  origin: 'declared',
  state: 'valid',
  fingerprint: 'f1.ktsal:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  note: null,
  author: { tokenId: 'tok_01k2z3a4b5c6d7e8f9g0h1j2k3', label: 'Requirements' },
  createdAt: '2026-01-31T12:00:00.000Z',
  reviewedAt: null,
  reviewedBy: null,
  version: 1,
};

function statuses(total: number, counts: Record<string, number>) {
  return Object.fromEntries(
    COVERAGE_STATUSES.map((status) => [status, shareOf(counts[status] ?? 0, total)]),
  );
}

const SUMMARY = {
  stories: { total: 2, own: 2, inherited: 0, notCounted: 0 },
  statuses: statuses(2, { uncovered: 1, unexecuted: 1 }),
  inherited: statuses(0, {}),
  needs: [{ need: 'test', met: 1, justified: 0, unmet: 1, covered: shareOf(1, 2) }],
  covered: shareOf(1, 2),
  validated: shareOf(0, 2),
  traces: { total: 1, valid: 1, suspect: 0, broken: 0 },
};

const ROW = { storyId: 'US-12', title: 'Paying once', status: 'unexecuted', inherited: false };

const STORY = {
  ...ROW,
  kind: 'story',
  needs: [{ need: 'test', state: 'met', reason: null }],
  scenarios: [],
  tests: [
    {
      ...TARGET,
      name: null,
      state: 'valid',
      result: null,
      stale: false,
      quarantined: false,
    },
  ],
  routes: ['POST /orders'],
  issues: [],
  lastResult: null,
  validation: null,
};

const EXAMPLES = {
  stories: { summary: SUMMARY, items: [STORY], nextCursor: null },
  matrix: {
    summary: SUMMARY,
    rows: [ROW],
    columns: [{ ...TARGET, name: null }],
    cells: [
      {
        row: 0,
        column: 0,
        type: 'verifies',
        state: 'valid',
        result: null,
        traceId: TRACE_EXAMPLE.id,
      },
    ],
    nextCursor: null,
  },
  gaps: {
    summary: SUMMARY,
    gaps: { stories: 1, ...Object.fromEntries(GAP_KINDS.map((kind) => [kind, 0])), unmet_need: 1 },
    items: [
      {
        storyId: 'US-13',
        title: 'A receipt',
        status: 'uncovered',
        inherited: false,
        kind: 'story',
        gaps: [{ gap: 'unmet_need', need: 'test', traceId: null, target: null }],
      },
    ],
    nextCursor: null,
  },
  traces: { summary: SUMMARY, items: [TRACE_EXAMPLE], nextCursor: null },
  impact: { storyIds: ['US-12'], impact: IMPACT_EXAMPLE },
};

/** The order of pages, whatever comes between them. */
export const WALK_TEXT =
  'Pages go in the order of the revision at which the first of them was read: a story that is there all the time is on ' +
  'one page, once, whatever is imported, added, deleted or judged between the pages. Additions follow in the order in ' +
  'which they were made. A story that a later import brings is in the next reading.';

export const TRACEABILITY_DOCS = {
  read: {
    description:
      'Where every story stands, in source order. Its status is the first that holds: `failing` (what verifies it failed ' +
      'or broke), `uncovered` (a need that is neither met nor justified), `justified` (no need met, all justified), ' +
      '`suspect` (what verifies it was linked for an earlier text), `stale` (passed, but for an earlier text, or ' +
      'as an earlier command), ' +
      '`unexecuted` (not run, skipped or unknown; or nothing to run and no verdict), `validated`, `passing`. Where no test ' +
      'counts, the scenarios that have run judge the story. Its routes are those of the route catalog that belong to it, ' +
      'and those that it is linked to; its issues are the open ones that name it, and those that it is linked to, which have ' +
      'their number, severity and status here while they are open. The need ' +
      '`test` is a verifies link to a test or command, `scenario` one to a scenario.\n\n' +
      'Beside the written traces there are links without an id: of the Gherkin sources and stored scenarios by their ' +
      'tags and `storyIds`, of test commands by theirs, and of tests by the stories that their newest results name. They ' +
      'are made anew with each of these, so they are never suspect; whether a result is of the present text, and of ' +
      'the command as it is, is shown by `stale`. What counts is the newest result of a run that counts: of a command the status of its run, of a test ' +
      'its own, of a scenario that of a test that is called as it is in a suite called as its feature. What a command ' +
      'in quarantine verifies stays covered, and neither its results nor those of the tests that it ran last judge the ' +
      'story until its time is up; alone, they leave it `unexecuted`. What is disabled or archived, and the tests that it ' +
      'ran last, do not cover; a link to a scenario or command that is not there, ' +
      'or to an archived one, or to a name that several tests have, is `broken` for as long as that is so, and covers nothing.\n\n' +
      'A node that nothing verifies and no justification excuses, and that others refine or derive from, has ' +
      'the worst of theirs, `inherited: true`, counted apart: failing, uncovered, suspect, stale, unexecuted, justified, ' +
      'passing, validated. Rejected and inactive nodes are not counted. `view=matrix` is sparse: its cells name rows ' +
      'and columns of the same page; `view=gaps` lists the stories with something left to do, ' +
      'a link that is suspect and leads to what fails as both; `view=traces` all links, those of rejected and inactive ' +
      'nodes where they stand, those of gone stories last; `view=impact` what it would reach if the stories said what ' +
      'nobody has said before. `format=csv` quotes cells that a spreadsheet would take for formulas by an ' +
      'apostrophe; `format=html` is one page for printing, of 5,000 rows a table at most; `format=lobster` is a ' +
      '`lobster-req-trace`, with `view=traces` the `lobster-act-trace` that goes with it: where a test passed for some of its ' +
      'stories, and for others nobody knows of which text, it refers to those alone; what is quarantined has not run there, ' +
      'what is disabled or archived is left out, and a story that is failing, uncovered, suspect, stale or unexecuted has ' +
      'messages that say so.\n\n' +
      WALK_TEXT,
    replies: {
      200: {
        description: 'A page of stories, of the matrix, of gaps or traces; or an impact',
        examples: { ...EXAMPLES, lobster: LOBSTER_EXAMPLE },
        alsoAs: TEXT_EXAMPLES,
        headers: ['ETag', 'Link'],
      },
    },
    problems: ['not_found'],
  },
  write: {
    description:
      'Takes traces away, reviews others (they hold for their stories as they are now), adds new ones, and justifies ' +
      'needs that do not have to be met, in this order: at most 1,000 changes, all or none. A trace that is there ' +
      'already is answered as `unchanged`, and keeps its note: to say another, remove it and add it again. One that is named twice is made once, and with another note the second time ' +
      'it is `422`. An unknown id, a story that is not in the effective graph, or an issue that ' +
      'is not there is `422` with a pointer to each. Other targets may come after their links: one to a scenario or ' +
      'command that is not there is `broken` until it is, and one to a test that has not been reported waits for it; ' +
      'whether routes, commits, files and documents are there is not looked at. What sources, commands, scenarios and tests ' +
      'say by themselves is changed where they say it. A review that names the `fingerprint` of the story as it was ' +
      'looked at is `409` where that says something else by now.',
    bodyExample: {
      add: [{ storyId: 'US-12', type: 'verifies', target: TARGET }],
      justify: [{ storyId: 'US-13', need: 'test', reason: 'Verified by inspection.' }],
    },
    replies: {
      200: {
        description: 'What was changed',
        example: {
          added: [TRACE_EXAMPLE],
          unchanged: [],
          removed: [],
          reviewed: [],
          justified: [{ storyId: 'US-13', need: 'test', reason: 'Verified by inspection.' }],
        },
      },
    },
  },
} satisfies Record<string, OperationDocs>;
