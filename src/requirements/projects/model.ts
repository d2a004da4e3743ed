// The shapes in which projects come and are shown, which are also in the API document.
import { type Static, Type } from '@sinclair/typebox';
import { CAPABILITIES } from '../../access/access.ts';
import { SLUG } from '../../limits.ts';
import {
  Actor,
  closed,
  idOf,
  nullable,
  oneOf,
  Text,
  Time,
  Title,
  timeOf,
  Untrusted,
  Version,
} from '../../model/schemas.ts';
import { FindingBody, SourceBody } from '../audit/model.ts';
import { GraphDiff } from '../graph/diff.ts';
import { SOURCE_FORMATS } from '../sources/model.ts';
import { Settings, SettingsPatch } from './settings.ts';

export const Slug = Type.String({
  minLength: 1,
  maxLength: SLUG.charactersMost,
  pattern: SLUG.pattern,
  says: SLUG.says,
});

export const MAX_SOURCES = 100_000;

const NewToken = closed(
  {
    capabilities: Type.Array(oneOf(CAPABILITIES), { minItems: 1, uniqueItems: true }),
    label: Type.Optional(
      nullable(
        Type.String({
          minLength: 1,
          maxLength: 300,
          pattern: '^(?=.*\\S)[^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]+$',
          says: 'must be one line, not blank, without control characters',
        }),
      ),
    ),
    expiresAt: Type.Optional(nullable(Time)),
    readOnly: Type.Optional(Type.Boolean({ description: 'It may call nothing but GET' })),
  },
  { title: 'TokenInput' },
);

export const TokenChanges = closed(
  {
    create: Type.Optional(NewToken),
    revoke: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
        maxItems: 100,
        uniqueItems: true,
        description: 'Ids of tokens to end, at once and with their links and streams',
      }),
    ),
  },
  { title: 'TokenChanges' },
);

const BaselineName = Type.String({
  minLength: 1,
  maxLength: 300,
  pattern: '^(?!\\d+$)(?=\\S)[^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]*\\S$',
  says: 'must be one line and no number, which would be a revision',
});

export const BaselineInput = closed(
  {
    name: BaselineName,
    revision: Type.Optional(Type.Integer({ minimum: 1, description: 'The latest by default' })),
    note: Type.Optional(nullable(Text)),
  },
  { title: 'BaselineInput' },
);

export const Baseline = Type.Object(
  {
    name: Type.String(),
    revision: Type.Integer(),
    note: nullable(Type.String()),
    author: Actor,
    createdAt: timeOf('When the revision was named'),
  },
  { title: 'Baseline' },
);

/** What stands in a query wherever a revision may be asked for. */
export const revisionQuery = {
  revision: Type.Optional(Type.Integer({ minimum: 1, description: 'The latest by default' })),
  baseline: Type.Optional(Type.String({ description: 'A revision by its name' })),
};

const projectFields = {
  slug: Slug,
  name: Type.Optional(Title),
  description: Type.Optional(Text),
  settings: Type.Optional(SettingsPatch),
  mode: Type.Optional(
    oneOf(['replace', 'merge'], 'Whether the sources replace those of the revision or join them'),
  ),
  baseRevision: Type.Optional(
    Type.Integer({ minimum: 0, description: 'The revision that the sender has seen' }),
  ),
  confirm: Type.Optional(
    Type.Boolean({ description: 'Whether more than half of the stories may go' }),
  ),
  dryRun: Type.Optional(
    Type.Boolean({ description: 'Whether the sources are only compared: nothing is stored' }),
  ),
  baseline: Type.Optional(BaselineInput),
  tokens: Type.Optional(TokenChanges),
};

export const SourceInput = closed(
  {
    path: Type.String({ minLength: 1, maxLength: 1024 }),
    format: Type.Optional(oneOf(SOURCE_FORMATS, 'Detected from path and content unless given')),
    content: Type.Optional(Type.String()),
    contentBase64: Type.Optional(Type.String()),
    textAttribute: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1000,
        description: 'Of ReqIF: the LONG-NAME of the attribute that holds the text',
      }),
    ),
  },
  { title: 'SourceInput' },
);

export const ProjectFields = closed(projectFields, { title: 'ProjectFields' });
export type ProjectInput = Static<typeof ProjectFields>;

const Sources = Type.Array(SourceInput, { minItems: 1, maxItems: MAX_SOURCES });
export const ProjectBody = closed(
  { ...projectFields, sources: Type.Optional(Sources) },
  { title: 'ProjectInput' },
);

export const ProjectForm = Type.Object(
  {
    project: ProjectFields,
    file: Type.Array(Type.String({ documentedFormat: 'binary' }), {
      description: 'The sources, each under its path as file name',
    }),
  },
  { title: 'ProjectForm' },
);

export const ProjectQuery = Type.Partial(
  closed({
    limit: Type.Integer({ minimum: 1, maximum: 200 }),
    cursor: Type.String(),
    id: Type.String(),
    search: Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'The 20 best of what the project has instead, by words of an id, a title or name, the number of an issue, a commit',
    }),
    include: Type.Array(
      oneOf(['sources', 'revisions', 'baselines', 'caller', 'tokens', 'backups']),
      {
        description:
          'What to add: the text of the sources, the revisions, their names, who asks and what it may, and for owners the tokens and the backups of the instance',
      },
    ),
  }),
);

const token = {
  label: nullable(Type.String()),
  capabilities: Type.Array(oneOf(CAPABILITIES)),
  readOnly: Type.Boolean({ description: 'It may call nothing but GET' }),
  instance: Type.Boolean({ description: 'It may make projects' }),
};

const CallerShown = Type.Object(
  {
    tokenId: idOf('token'),
    ...token,
    operations: Type.Array(Type.String(), { description: 'What it may call, by `operationId`' }),
  },
  { title: 'CallerShown' },
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

const Count = Type.Integer({ minimum: 0 });
export const Backups = Type.Object(
  {
    made: Type.Array(
      Type.Object({
        at: timeOf('When it was made'),
        target: oneOf(['folder', 'file', 'socket'], '`folder`: on a schedule; `socket`: streamed'),
        files: Count,
        bytes: Count,
        missing: { ...Count, description: 'Files that were gone or damaged when it was made' },
      }),
      { description: 'The newest 20, each read back and found right' },
    ),
    restoredAt: nullable(timeOf('When the newest scheduled one was last restored as a test')),
  },
  { title: 'Backups' },
);

export const Project = Type.Object(
  {
    id: idOf('project'),
    slug: Slug,
    name: Type.String(),
    description: Type.String(),
    settings: Settings,
    revision: Type.Integer({ minimum: 0, description: 'The latest; 0 before the first' }),
    sources: Type.Array(SourceBody, { description: 'The sources of that revision' }),
    revisions: Type.Optional(Type.Array(Type.Object({}, { additionalProperties: true }))),
    baselines: Type.Optional(Type.Array(Baseline, { description: 'The newest first' })),
    caller: Type.Optional(CallerShown),
    tokens: Type.Optional(
      Type.Array(TokenShown, { description: 'The oldest first, ended ones too' }),
    ),
    backups: Type.Optional(Backups),
    version: Version,
    createdAt: timeOf('When it was made'),
    updatedAt: timeOf('When it was last changed'),
  },
  { title: 'Project' },
);

export const SearchHitBody = Type.Object(
  {
    type: oneOf(['story', 'section', 'document', 'issue', 'command', 'run', 'test']),
    id: Type.String({ description: 'Of a test its key' }),
    title: Type.String(),
    status: nullable(
      Type.String({ description: 'Of its coverage, its own, or of its latest result' }),
    ),
    detail: nullable(
      Type.String({
        description:
          'Path of a document, number of an issue as `#12`, key of a command, commit of a run, file of a test',
      }),
    ),
    untrusted: Type.Optional(Untrusted),
  },
  { title: 'SearchHit' },
);
export type SearchHit = Static<typeof SearchHitBody>;

export const ImportComparison = Type.Object(
  {
    ...GraphDiff.properties,
    findings: Type.Array(FindingBody, { description: 'The audit of the sources that were sent' }),
  },
  { title: 'ImportComparison', description: 'With `dryRun`: what the sources would change' },
);

export const ProjectReply = Type.Object(
  {
    project: Project,
    change: Type.Optional(ImportComparison),
    token: Type.Optional(
      Type.String({
        description: "The token that was made, of a new project its owner's: this once",
      }),
    ),
    tokenId: Type.Optional(idOf('token')),
  },
  { title: 'ProjectReply' },
);
