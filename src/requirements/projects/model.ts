// The shapes in which projects come, which are also in the API document.
import { type Static, Type } from '@sinclair/typebox';
import { CAPABILITIES } from '../../access/access.ts';
import { closed, nullable, oneOf, Text, Time, Title } from '../../model/schemas.ts';
import { SLUG } from '../../slug.ts';
import { SOURCE_FORMATS } from '../sources/model.ts';
import { SettingsPatch } from './settings.ts';

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
          description: 'What it is for, in one line',
        }),
      ),
    ),
    expiresAt: Type.Optional(nullable(Time)),
    readOnly: Type.Optional(
      Type.Boolean({ description: 'It may call nothing but GET, whatever it holds' }),
    ),
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

const projectFields = {
  slug: Slug,
  name: Type.Optional(Title),
  description: Type.Optional(Text),
  settings: Type.Optional(SettingsPatch),
  mode: Type.Optional(
    oneOf(
      ['replace', 'merge'],
      'Whether the sources replace those of the latest revision or join them',
    ),
  ),
  baseRevision: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'The revision that the sender has seen; another latest one is a conflict',
    }),
  ),
  confirm: Type.Optional(
    Type.Boolean({ description: 'Whether more than half of the stories may go' }),
  ),
  tokens: Type.Optional(TokenChanges),
};

const Source = closed(
  {
    path: Type.String({ minLength: 1, maxLength: 1024 }),
    format: Type.Optional(oneOf(SOURCE_FORMATS, 'Detected from path and content unless given')),
    content: Type.Optional(Type.String()),
    contentBase64: Type.Optional(Type.String()),
    textAttribute: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1000,
        description:
          'Of ReqIF: the LONG-NAME of the attribute that holds the text, in each type that has it',
      }),
    ),
  },
  { title: 'SourceInput' },
);

export const ProjectFields = closed(projectFields, { title: 'ProjectFields' });

export const ProjectBody = closed(
  {
    ...projectFields,
    sources: Type.Optional(Type.Array(Source, { minItems: 1, maxItems: MAX_SOURCES })),
  },
  { title: 'ProjectInput' },
);
export type ProjectInput = Static<typeof ProjectFields>;

export const ProjectForm = Type.Object(
  {
    project: ProjectFields,
    file: Type.Array(Type.String({ documentedFormat: 'binary' }), {
      description:
        'The sources, each under its path as file name; the names of these parts do not matter',
    }),
  },
  { title: 'ProjectForm' },
);

export const ProjectQuery = closed({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
  cursor: Type.Optional(Type.String()),
  id: Type.Optional(Type.String()),
  include: Type.Optional(
    Type.Array(oneOf(['sources', 'revisions', 'caller', 'tokens']), {
      description:
        'What to add: the text of the sources, the revisions, who asks and what it may, and for owners the tokens',
    }),
  ),
});
