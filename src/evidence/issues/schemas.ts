// The shapes in which issues are shown, for the API document.
import { Type } from '@sinclair/typebox';
import { accessRow } from '../../access/access.ts';
import { Actor, idOf, pageSchema, timeOf, Untrusted, Version } from '../../model/answer-schemas.ts';
import { closed, nullable, oneOf } from '../../model/schemas.ts';
import { Attachment } from '../attachments/model.ts';
import { IssueBody, IssueContext, issueTexts, SEVERITIES } from './model.ts';
import { RESOLUTIONS, STATUSES } from './states.ts';

const textOrNull = nullable(Type.String());

const summary = {
  id: idOf('issue'),
  number: Type.Integer({ minimum: 1, description: 'Counted up within the project' }),
  title: Type.String(),
  ...issueTexts,
  severity: oneOf(SEVERITIES),
  status: oneOf(STATUSES),
  resolution: nullable(oneOf(RESOLUTIONS)),
  duplicateOf: nullable(idOf('issue that this one repeats')),
  storyIds: Type.Array(Type.String(), { description: 'Stories that it concerns' }),
  labels: Type.Array(Type.String()),
  author: Actor,
  occurredAt: timeOf('When it was seen'),
  resolvedAt: nullable(timeOf('When it was resolved')),
  fixedInBuild: textOrNull,
  fingerprint: nullable(
    Type.String({ description: 'By which duplicates are known; null without route and error' }),
  ),
  occurrences: Type.Integer({ minimum: 1, description: 'Itself and its duplicates' }),
  possibleRegression: Type.Boolean({
    description: 'A widget reported again what was fixed before',
  }),
  untrusted: Untrusted,
  version: Version,
  createdAt: timeOf('When it was filed'),
  updatedAt: timeOf('When it was last changed'),
  attachments: Type.Array(Attachment),
};

const IssueChange = Type.Object(
  {
    at: timeOf('When it happened'),
    by: Actor,
    event: Type.String({ description: 'What happened' }),
    changes: Type.Array(
      Type.Object({ field: Type.String(), from: Type.Unknown(), to: Type.Unknown() }),
    ),
  },
  { title: 'IssueChange' },
);

const Duplicate = Type.Object({
  id: idOf('duplicate'),
  number: Type.Integer({ minimum: 1 }),
  build: textOrNull,
  occurredAt: timeOf('When it was seen'),
  untrusted: Untrusted,
});

export const Issue = Type.Object(
  {
    ...summary,
    context: nullable(IssueContext),
    history: Type.Array(IssueChange, { description: 'Every change, the oldest first' }),
    duplicates: Type.Array(Duplicate, { description: 'Issues that repeat this one' }),
  },
  { title: 'Issue' },
);

const IssueSummary = Type.Object(summary, { title: 'IssueSummary' });

export const IssuePage = pageSchema('IssuePage', IssueSummary);

const widgetFields = accessRow('POST /issues').fields['widget:write'];
const sentByWidgets = Object.entries(IssueBody.properties)
  .filter(([name]) => widgetFields?.includes(name))
  .map(([name, schema]) => [name, Type.Optional(schema)] as const);

export const FiledIssue = closed(
  { id: idOf('issue'), ...Object.fromEntries(sentByWidgets) },
  {
    title: 'FiledIssue',
    description: 'What a widget is answered: the id, and the fields that it sent',
  },
);
