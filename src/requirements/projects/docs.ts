// What the API document says of the operations on projects.
import type { OperationDocs } from '../../model/docs.ts';
import { DEFAULT_SETTINGS } from './settings.ts';

const PROJECT = {
  id: 'prj_01k4mz2v9cf8ptw0yq3e6r7h5d',
  slug: 'checkout',
  name: 'Checkout',
  description: 'Basket, payment and receipt of the web shop.',
  settings: { ...DEFAULT_SETTINGS, retentionDays: 90 },
  revision: 0,
  sources: [],
  version: 1,
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
};

export const PROJECT_DOCS = {
  read: {
    description: 'A list with the project of the token alone; `id` answers it bare.',
    replies: {
      200: {
        description: 'The project',
        examples: { page: { items: [PROJECT], nextCursor: null }, project: PROJECT },
        headers: ['ETag'],
      },
    },
  },
  write: {
    description:
      'With a new `slug`: makes a project and answers its owner token, this once; it needs an owner token marked as the ' +
      "instance's. With the slug of the caller's own project: changes it; `settings` is a merge patch, and " +
      '`sources`, given as texts or as the files of a form, become the next revision, whole or not at all; the same set ' +
      'makes none. Imports that come at the same time are made in turn, each on the revision before it. ' +
      'One that would drop more than half of the stories is `409 drops_stories`, with `stories` (how many there are) and ' +
      '`dropped`, unless `confirm` is true. A source that does not parse is in the audit; a set in which nothing parses is refused. An editor sends sources to ' +
      "the project of its token; all else is the owner's, `403` by field. " +
      '`tokens` makes a token, whose text the answer ' +
      'shows this once, and ends others at once: not the one that the request is made with (`409`).',
    bodyExample: { slug: 'checkout', name: 'Checkout', settings: { retentionDays: 90 } },
    bodyExamples: {
      'multipart/form-data': {
        project: { slug: 'checkout', mode: 'merge' },
        file: ['<the bytes of docs/stories.md>'],
      },
    },
    replies: {
      200: {
        description: 'The changed project',
        example: { project: PROJECT },
        headers: ['ETag'],
      },
      201: {
        description: 'The new project and its owner token',
        example: { project: PROJECT, token: 'pqrs_<id>_<secret>' },
        headers: ['ETag'],
      },
    },
    problems: ['slug_taken', 'drops_stories'],
  },
} satisfies Record<string, OperationDocs>;
