// What the API document says of the operations on projects.
import { Type } from '@sinclair/typebox';
import { CAPABILITIES } from '../../access/access.ts';
import type { OperationDocs } from '../../http/document/operation.ts';
import { idOf, pageSchema, timeOf, Version } from '../../model/answer-schemas.ts';
import { closed, nullable, oneOf } from '../../model/schemas.ts';
import { SourceBody } from '../graph/docs.ts';
import { Slug } from './model.ts';
import { DEFAULT_SETTINGS, SETTING_SCHEMAS } from './settings.ts';

const { judgedBranches, retentionDays, quotaBytes, ...always } = SETTING_SCHEMAS;

const Settings = closed(
  {
    ...always,
    judgedBranches: nullable(judgedBranches),
    retentionDays: nullable(retentionDays),
    quotaBytes: nullable(quotaBytes),
  },
  { title: 'Settings' },
);

const token = {
  label: nullable(Type.String()),
  capabilities: Type.Array(oneOf(CAPABILITIES)),
  readOnly: Type.Boolean({ description: 'It may call nothing but GET' }),
  instance: Type.Boolean({
    description: 'It may make projects and read what concerns the instance',
  }),
};

const CallerShown = Type.Object(
  {
    tokenId: idOf('token'),
    ...token,
    operations: Type.Array(Type.String(), { description: 'What it may call, by `operationId`' }),
  },
  { title: 'CallerShown', description: 'Present where `include` asks for it' },
);

const TokenShown = Type.Object(
  {
    id: idOf('token'),
    ...token,
    createdAt: timeOf('When it was made'),
    expiresAt: nullable(timeOf('When it ends by itself')),
    revokedAt: nullable(timeOf('When it was ended')),
    lastUsedAt: nullable(timeOf('When it was last used')),
  },
  { title: 'TokenShown' },
);

const Project = Type.Object(
  {
    id: idOf('project'),
    slug: Slug,
    name: Type.String(),
    description: Type.String(),
    settings: Settings,
    revision: Type.Integer({
      minimum: 0,
      description: 'The latest revision of the requirements; 0 before the first',
    }),
    sources: Type.Array(SourceBody, {
      description: 'The sources of that revision, with their text where `include` asks for it',
    }),
    revisions: Type.Optional(
      Type.Array(Type.Object({}, { additionalProperties: true }), {
        description: 'Present where `include` asks for it',
      }),
    ),
    caller: Type.Optional(CallerShown),
    tokens: Type.Optional(
      Type.Array(TokenShown, {
        description:
          'Present where `include` asks for it, for owners: the oldest first, ended ones too',
      }),
    ),
    version: Version,
    createdAt: timeOf('When it was made'),
    updatedAt: timeOf('When it was last changed'),
  },
  { title: 'Project' },
);

const ProjectReply = Type.Object(
  {
    project: Project,
    token: Type.Optional(
      Type.String({
        description:
          'The owner token of a new project, or the token that `tokens.create` asked for: shown this once',
      }),
    ),
    tokenId: Type.Optional(idOf('token')),
  },
  { title: 'ProjectReply' },
);

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
        schema: Type.Union([pageSchema('ProjectPage', Project), Project]),
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
        schema: ProjectReply,
        example: { project: PROJECT },
        headers: ['ETag'],
      },
      201: {
        description: 'The new project and its owner token',
        schema: ProjectReply,
        example: { project: PROJECT, token: 'pqrs_<id>_<secret>' },
        headers: ['ETag'],
      },
    },
    problems: ['slug_taken', 'drops_stories'],
  },
} satisfies Record<string, OperationDocs>;
