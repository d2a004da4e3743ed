// The shapes in which projects come, which are also in the API document.
import { type Static, Type } from '@sinclair/typebox';
import { closed, oneOf, Text, Title } from '../http/schemas.ts';
import { SettingsPatch } from './settings.ts';

export const Slug = Type.String({
  minLength: 1,
  maxLength: 63,
  pattern: '^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$',
  says: 'must be lower-case letters, digits and inner hyphens, 63 at most',
});

export const ProjectBody = closed(
  {
    slug: Slug,
    name: Type.Optional(Title),
    description: Type.Optional(Text),
    settings: Type.Optional(SettingsPatch),
  },
  { title: 'ProjectInput' },
);
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
