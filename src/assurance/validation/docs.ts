// The validation transfer in the API document.
import type { OperationDocs } from '../../model/docs.ts';
import { WALK_TEXT } from '../traceability/docs.ts';

export const TRANSFER_DOCS = {
  read: {
    description:
      'What becomes of verdicts as requirements change: an item for each judged story and one for each other story. ' +
      '`restored`: an earlier verdict is on what the story says again; `invalidated`: it has changed; `suspect`: what it ' +
      'rests on has; `suspect_test`: a test that it went by changed or went; `transferable`: all is as it was; ' +
      '`renamed`, `ambiguous`, `orphaned`: the story is gone, and one, several or no new ones have its text; `missing`: ' +
      'never judged. `total` less `missing` are the judged stories; less `orphaned` and `ambiguous` the stories there ' +
      `are.\n\n${WALK_TEXT} Judged stories that are gone come last.`,
    replies: {
      200: { description: 'Items, verdicts, or a bundle', headers: ['ETag', 'Link'] },
    },
    problems: ['not_found'],
  },
  write: {
    description:
      '`record` takes verdicts of people on stories as they are; one whose `fingerprint` is not that of the story here is ' +
      'refused. `carry` says again what was said of `storyIds`, or of all that is `transferable`, `restored` or `renamed`, ' +
      'on what the stories say now; those that are `suspect` or `suspect_test` only with `acceptSuspect`. `bundle` takes ' +
      'the verdicts of another instance whose key is among `settings.trustedKeys`; they never replace newer ones. Each ' +
      'result is applied by itself, and the answer says what was and why another was not.\n\n' +
      'With `settings.autoValidate` the service says by itself, after each run, that a story passed where the newest ' +
      'result of every test and command that covers it, on a branch of `settings.judgedBranches`, passed on what the ' +
      'story says and rests on today, and that it failed where one then fails; `by` is `system`. It never replaces what ' +
      'a person said of the same content, unless that was that it passed.',
    bodyExample: {
      mode: 'record',
      results: [{ storyId: 'US-12', verdict: 'passed', evidence: 'Minutes of 31 January.' }],
    },
    replies: { 200: { description: 'What was applied, item by item' } },
    problems: ['not_found', 'untrusted_key'],
  },
} satisfies Record<string, OperationDocs>;
