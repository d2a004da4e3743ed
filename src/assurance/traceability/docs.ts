// What the API document says of the traceability.
import type { OperationDocs } from '../../model/docs.ts';

/** The order of pages, whatever comes between them. */
export const WALK_TEXT =
  'Pages go in the order of the revision at which the first of them was read, to its end, whatever is imported or written ' +
  'between them; additions follow in the order in which they were made.';

export const TRACEABILITY_DOCS = {
  read: {
    description:
      'Where every story stands, in source order. Its status is the first that holds: `failing`, `uncovered` (a need that is ' +
      'neither met nor justified), `justified`, `suspect` (linked for an earlier text), `stale` (passed for an earlier text, or ' +
      'as an earlier command), `unexecuted`, `validated`, `passing`; a node without links of its own has the worst of what ' +
      'refines or derives from it, `inherited: true`. The newest result that counts judges, of scenarios where no test does; ' +
      'what is quarantined covers and does not judge, what is disabled or archived does not cover. Links without an id are ' +
      `declared by sources, scenarios, commands and tests, and are changed there. ${WALK_TEXT}`,
    replies: {
      200: {
        description: 'A page of stories, of the matrix, of gaps or traces; or an impact',
        alsoAs: {
          'text/csv': 'storyId,kind,title,status,inherited,needsMet,…',
          'text/html': '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">…',
        },
        headers: ['ETag', 'Link'],
      },
    },
    problems: ['not_found'],
  },
  write: {
    description:
      'Takes traces away, reviews others (they hold for their stories as they are now), adds new ones, and justifies needs, in ' +
      'this order, all or none. A trace that is there already is answered as `unchanged` and keeps its note; of a link that is ' +
      'named twice the last note counts. Stories and issues must be there (`422` with a pointer to each that is not); other ' +
      'targets may come after their links.',
    bodyExample: {
      add: [{ storyId: 'US-12', type: 'verifies', target: { kind: 'command', id: 'unit' } }],
      justify: [{ storyId: 'US-13', need: 'test', reason: 'Verified by inspection.' }],
    },
    replies: { 200: { description: 'What was changed' } },
    problems: ['conflict'],
  },
} satisfies Record<string, OperationDocs>;
