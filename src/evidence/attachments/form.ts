// The form in which a file comes that is attached to an issue.
import { Type } from '@sinclair/typebox';
import { oneOf } from '../../model/schemas.ts';
import { ATTACHMENT_KINDS } from './rows.ts';

const BINARY = { documentedFormat: 'binary' };

export const AttachmentForm = Type.Object(
  {
    file: Type.String({ ...BINARY, description: 'The file, with its name' }),
    kind: Type.Optional(oneOf(ATTACHMENT_KINDS, 'What the file is; else told from the file')),
    note: Type.Optional(Type.String({ maxLength: 8192 })),
  },
  { title: 'AttachmentForm' },
);
