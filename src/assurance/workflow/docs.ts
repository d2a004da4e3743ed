// What the API document says of one story and its workflow.
import type { OperationDocs } from '../../model/docs.ts';
import { NODE_EXAMPLE } from '../../requirements/graph/docs.ts';

const DONE = { state: 'done', evidence: [], missing: [] };

export const STORY_DOCS = {
  story: {
    description:
      'The story as it is in force, with `canonical` where an edit makes another of it, what is laid over it, its links ' +
      'both ways, how it is covered and judged, the newest results of its tests, and its open issues.',
    replies: {
      200: {
        description: 'The story',
        example: {
          ...NODE_EXAMPLE,
          revision: 1,
          overlays: [],
          links: { outgoing: [], incoming: [] },
          coverage: null,
          validation: null,
          lastResults: [],
          openIssues: [],
        },
        headers: ['ETag'],
      },
    },
    problems: ['not_found'],
  },
  workflow: {
    description:
      'The stages of a story: `specified` (a statement, a story acceptance criteria too, no error that the audit finds in ' +
      'the sources but of references to what an addition has, and of an addition that what it is linked to or stands below is ' +
      'there), `agreed` ' +
      '(no edit waits or conflicts: the error `edit_conflicted` of the audit counts here alone), `covered` (every need of the project linked and not suspect, or justified), ' +
      '`executed` (the newest result of each covering test is of a run on this text, and neither skipped nor unknown; its ' +
      '`evidence` are the runs; what is quarantined does not count, so that alone it leaves the story unexecuted; where no test counts, the ' +
      'scenarios that have run stand in for them, and where there is nothing that runs, a passed verdict), `validated` (a passed ' +
      'verdict on this text and all it rests on, no open triaged blocker). `next` holds requests that bring it on; where ' +
      'what covers it fails, they first run that again, at whatever stage it stands.',
    replies: {
      200: {
        description: 'The workflow',
        example: {
          storyId: 'US-12',
          stage: 'covered',
          stages: [
            { name: 'specified', since: '2026-01-31T12:00:00.000Z', ...DONE },
            { name: 'agreed', since: null, ...DONE },
            {
              name: 'covered',
              state: 'current',
              since: null,
              evidence: [],
              missing: ['No test verifies it, and the need is not justified.'],
            },
            {
              name: 'executed',
              state: 'pending',
              since: null,
              evidence: [],
              missing: ['There is no test of it to run.'],
            },
            {
              name: 'validated',
              state: 'pending',
              since: null,
              evidence: [],
              missing: ['Nobody has judged it.'],
            },
          ],
          next: [
            {
              action: 'add_trace',
              method: 'POST',
              path: '/api/project-traceability',
              capability: 'srs:edit',
              why: 'No test verifies it, and the need is not justified.',
            },
            {
              action: 'create_test_command',
              method: 'POST',
              path: '/api/test-commands',
              capability: 'agent:execute',
              why: 'A command that names the story covers it; one with an argv is run by agents.',
              body: { key: 'verify US-12', kind: 'manual', storyIds: ['US-12'] },
            },
          ],
          history: [],
        },
        headers: ['ETag'],
      },
    },
    problems: ['not_found'],
  },
} satisfies Record<string, OperationDocs>;
