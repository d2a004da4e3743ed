// The shapes of projects as they come and go, which are also their API document.
import { type Static, Type } from '@sinclair/typebox';
import { closed, oneOf, Text, Title } from '../http/schemas.ts';
import { SettingsPatch } from './settings.ts';

export const Slug = Type.String({
  minLength: 1,
  maxLength: 63,
  pattern: '^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$',
  says: 'must be lower-case letters, digits and inner hyphens, 63 at most',
});

export const ProjectBody = closed({
  slug: Slug,
  name: Type.Optional(Title),
  description: Type.Optional(Text),
  settings: Type.Optional(SettingsPatch),
});
export type ProjectInput = Static<typeof ProjectBody>;

export const ProjectQuery = closed({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
  cursor: Type.Optional(Type.String()),
  id: Type.Optional(Type.String()),
  include: Type.Optional(
    Type.Array(oneOf(['sources', 'revisions']), {
      description: 'What to add: the text of the sources, the revisions',
    }),
  ),
});

export const Project = Type.Object({
  id: Type.String(),
  slug: Slug,
  name: Title,
  description: Text,
  settings: Type.Object({}, { additionalProperties: true }),
  revision: Type.Integer({
    description: 'The latest revision of the requirements; 0 before the first',
  }),
  sources: Type.Array(Type.Object({}, { additionalProperties: true })),
  version: Type.Integer(),
  createdAt: Type.String({ documentedFormat: 'date-time' }),
  updatedAt: Type.String({ documentedFormat: 'date-time' }),
});

export const ProjectPage = Type.Object({
  items: Type.Array(Project),
  nextCursor: Type.Union([Type.String(), Type.Null()]),
});

export const ProjectReply = Type.Object({
  project: Project,
  token: Type.Optional(
    Type.String({ description: 'The owner token of a new project, shown this once' }),
  ),
});

export const PROJECT_EXAMPLE = {
  id: 'prj_01k4mz2v9cf8ptw0yq3e6r7h5d',
  slug: 'checkout',
  name: 'Checkout',
  description: 'Basket, payment and receipt of the web shop.',
  settings: {
    editPolicy: 'direct',
    needs: ['test'],
    normative: ['kind', 'title', 'statement', 'acceptance', 'links'],
    autoValidate: false,
    judgedBranches: null,
    trustedKeys: [],
    retentionDays: 90,
    quotaBytes: null,
    demo: false,
  },
  revision: 0,
  sources: [],
  version: 1,
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
};
