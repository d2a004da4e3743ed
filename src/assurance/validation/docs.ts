// The validation transfer in the API document.
import type { OperationDocs } from '../../model/docs.ts';
import { WALK_TEXT } from '../traceability/docs.ts';

const VALIDATION = {
  id: 'val_01k2z3a4b5c6d7e8f9g0h1j2k7',
  storyId: 'US-12',
  verdict: 'passed',
  method: 'inspection',
  evidence: 'Minutes of 31 January.',
  tests: [],
  by: { tokenId: 'tok_01k2z3a4b5c6d7e8f9g0h1j2k3', label: 'Requirements' },
  at: '2026-01-31T12:00:00.000Z',
  revision: 3,
  fingerprint: 'f1.ktsal:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  deepFingerprint: 'd1.ktsal:60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
  transferredFrom: null,
  note: null,
};

const COUNTS = {
  total: 1,
  restored: 0,
  invalidated: 0,
  suspect: 0,
  suspect_test: 0,
  transferable: 1,
  renamed: 0,
  ambiguous: 0,
  orphaned: 0,
  missing: 0,
};

const BUNDLE = {
  format: 'pqrs-validation-bundle',
  version: 1,
  project: 'shop',
  revision: 3,
  exportedAt: '2026-01-31T12:00:00.000Z',
  publicKey: 'ed25519:11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  results: [],
  signature:
    'hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg',
};

export const TRANSFER_DOCS = {
  read: {
    description:
      'What becomes of verdicts as requirements change: an item for each judged story and one for each other story. ' +
      '`restored`: an earlier verdict is on what the story says again; `invalidated`: it has changed; `suspect`: what it ' +
      'rests on has; `suspect_test`: a test that it went by changed (the steps of a scenario, what a command runs, the ' +
      '`contentSha256` of a test) or went, or is a command that there is not here; `transferable`: all is as it was; ' +
      '`renamed`, `ambiguous`, `orphaned`: the story is gone, and one, several or no new ones have its text; `missing`: never ' +
      'judged. `total` less `missing` are the judged stories; less `orphaned` and `ambiguous` the stories there are. ' +
      '`from` takes the last verdict that each story was given on that revision, and is 404 for one that has not come ' +
      'yet. `view=history` lists the verdicts on a story, `format=bundle` is a signed document of the last ones, in which ' +
      'commands are named by their keys. Judged stories come first, in the order of their first verdicts, then the others ' +
      `in source order.\n\n${WALK_TEXT}`,
    replies: {
      200: {
        description: 'A page of items or of verdicts; or a bundle',
        examples: {
          transfer: {
            revision: 3,
            from: null,
            to: 'effective',
            counts: COUNTS,
            items: [
              {
                storyId: 'US-12',
                title: 'Paying once',
                disposition: 'transferable',
                validation: VALIDATION,
                renamedTo: null,
                candidates: [],
                candidateCount: 0,
                why: 'All is as it was judged.',
              },
            ],
            nextCursor: null,
          },
          history: { items: [VALIDATION], nextCursor: null },
          bundle: BUNDLE,
        },
        headers: ['ETag', 'Link'],
      },
    },
    problems: ['not_found'],
  },
  write: {
    description:
      '`record` takes verdicts of people on stories as they are; one whose `fingerprint` is not that of the story here is ' +
      'refused. A command among its `tests` is named by its id or its key, and recorded by its id. `carry` says again what was ' +
      'said of `storyIds`, or of all that is `transferable`, `restored` or `renamed`, on what the stories say now; those ' +
      'that are `suspect` or `suspect_test` only with `acceptSuspect`, and without it they are listed as refused; no ' +
      'others can be carried. A failed verdict is carried as failed. With `from` what was said on that revision is carried ' +
      '(404 for one that has not come yet), but not where a newer verdict judged the same text of the story, unless ' +
      'all that the story rests on is again as it was for the earlier one, and not as it was for the newer one. `bundle` ' +
      'takes the verdicts of another instance whose key is among `settings.trustedKeys`; they never replace newer ones. A ' +
      'command that one went by is the one here that has the same key. Each result is applied by itself, and the answer ' +
      'says what was and why another was not.\n\n' +
      'With `settings.autoValidate` the service says by itself, after each run, that a story passed where the newest ' +
      'result of every test and command that covers it, on a branch of `settings.judgedBranches`, passed on what the ' +
      'story says and rests on today, and that it failed where one then fails (a failure from before it was said to have ' +
      'passed is none); `by` is `system`. It never replaces what ' +
      'a person said of the same content, unless that was that it passed; what the service said remains its own where a ' +
      'person carried it. It says again that a story passed where a test that the last verdict went by is another one ' +
      'now. Judged are the stories that the run has results for: a change of the settings, or a text that comes back, ' +
      'has no verdict follow before one of their tests runs. What is in quarantine does not count.',
    bodyExample: {
      mode: 'record',
      results: [{ storyId: 'US-12', verdict: 'passed', evidence: 'Minutes of 31 January.' }],
    },
    replies: {
      200: {
        description: 'What was applied, item by item',
        example: {
          applied: 1,
          refused: 0,
          items: [
            {
              storyId: 'US-12',
              applied: true,
              why: 'It was recorded.',
              validationId: VALIDATION.id,
            },
          ],
        },
      },
    },
    problems: ['not_found', 'untrusted_key'],
  },
} satisfies Record<string, OperationDocs>;
