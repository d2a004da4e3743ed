// What the API document says of one story and its workflow.
import type { OperationDocs } from '../../model/docs.ts';

export const STORY_DOCS = {
  story: {
    description:
      'The story as it is in force, with `canonical` where an edit makes another of it, what is laid over it, its links ' +
      'both ways, how it is covered and judged, the newest results of its tests, and its open issues.',
    replies: { 200: { description: 'The story', headers: ['ETag'] } },
    problems: ['not_found'],
  },
  workflow: {
    description:
      'The stages of a story: `specified` (a statement, a story acceptance criteria too, no error that the audit finds), ' +
      '`agreed` (no edit waits or conflicts), `covered` (every need of the project linked and not suspect, or justified), ' +
      '`executed` (the newest result of each covering test is of a run on this text; where no test counts, its scenarios ' +
      'or a passed verdict stand in for them), `validated` (a passed verdict on this text and all it rests on, no open ' +
      'triaged blocker). `next` holds requests that bring it on; where what covers it fails, they first run that again.',
    replies: { 200: { description: 'The workflow', headers: ['ETag'] } },
    problems: ['not_found'],
  },
} satisfies Record<string, OperationDocs>;
