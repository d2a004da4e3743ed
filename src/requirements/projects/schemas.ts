// Projects as answers show them.
import { Type } from '@sinclair/typebox';
import { CAPABILITIES } from '../../access/access.ts';
import { idOf, timeOf, Version } from '../../model/answer-schemas.ts';
import { closed, nullable, oneOf } from '../../model/schemas.ts';
import { SourceBody } from '../graph/schemas.ts';
import { Slug } from './model.ts';
import { SETTING_SCHEMAS } from './settings.ts';

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

export const Project = Type.Object(
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

export const ProjectReply = Type.Object(
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
