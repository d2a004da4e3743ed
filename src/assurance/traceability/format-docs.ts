// What the API document says of the formats in which the traceability is written for others.
import { Type } from '@sinclair/typebox';
import { oneOf } from '../../model/schemas.ts';

export const LobsterDocument = Type.Object(
  {
    schema: oneOf(['lobster-req-trace', 'lobster-act-trace']),
    version: Type.Integer(),
    generator: Type.String(),
    data: Type.Array(Type.Object({}, { additionalProperties: true })),
  },
  { title: 'LobsterDocument', description: 'With `format=lobster`' },
);

/** One story in it, for an example. */
export const LOBSTER_EXAMPLE = {
  data: [
    {
      ...{ tag: 'req US-13@9c271431c79d', name: 'A receipt', messages: [], refs: [] },
      location: { kind: 'file', file: 'stories.md', line: 7, column: null },
      ...{ just_up: [], just_down: [], just_global: [] },
      ...{ framework: 'pqrs', kind: 'story', text: 'As a customer I have one.', status: null },
    },
  ],
  ...{ generator: 'pqrs', schema: 'lobster-req-trace', version: 3 },
};

/** The beginnings of the other formats, by their media types. */
export const TEXT_EXAMPLES = {
  'text/csv': 'storyId,kind,title,status,inherited,needsMet,…',
  'text/html':
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Traceability of shop</title>\n…',
};
