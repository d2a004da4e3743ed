// What the graph is asked by, and what is answered of its documents.
import { type Static, Type } from '@sinclair/typebox';
import { MAX_PAGE_SIZE } from '../../model/pages.ts';
import {
  closed,
  idOf,
  nullable,
  oneOf,
  pageSchema,
  timeOf,
  Untrusted,
} from '../../model/schemas.ts';
import { RESULT_STATUSES } from '../../quality/reports/model.ts';
import { RunReference } from '../../quality/runs/model.ts';
import { FindingBody } from '../../requirements/audit/model.ts';
import { MEDIA_TYPES } from '../../requirements/export/write-graph.ts';
import { GraphDiff } from '../../requirements/graph/diff.ts';
import { EdgeBody, GraphBody, GraphNodeBody } from '../../requirements/graph/model.ts';
import { OVERLAY_STATES } from '../../requirements/overlay/changes.ts';
import { Overlay } from '../../requirements/overlay/model.ts';
import { revisionQuery } from '../../requirements/projects/model.ts';
import { NODE_KINDS } from '../../requirements/sources/model.ts';
import { COVERAGE_STATUSES, StoryCoverageAnswer, StoryHead } from '../coverage/model.ts';
import { StandingValidation } from '../validation/model.ts';

const FORMATS = Object.keys(MEDIA_TYPES) as (keyof typeof MEDIA_TYPES)[];

export const GraphQuery = Type.Partial(
  closed({
    view: oneOf(
      ['canonical', 'effective', 'overlays', 'diff', 'document'],
      '`effective` lays the accepted overlays on the latest revision, `overlays` lists them all, the newest first; ' +
        '`diff` compares two revisions; `document` is one of `effective` in the order of reading, without `root` the list of them',
    ),
    ...revisionQuery,
    format: oneOf(
      [...FORMATS, 'html', 'markdown'],
      'What the graph is written as: `json` by default; a `diff` as `html` or `markdown` too',
    ),
    from: Type.String({ description: 'With `view=diff`: a revision or a baseline' }),
    to: Type.String({ description: 'The same; the latest revision by default' }),
    root: Type.String({
      description:
        'Only what hangs below this node; with `view=document` the document, empty for what is in none',
    }),
    at: Type.String({
      description:
        'With `view=document`, instead of `root`: the document that has this node, on a page that begins half a page before it',
    }),
    depth: Type.Integer({
      minimum: 0,
      maximum: 100_000,
      description: 'Steps below `root`; with `with` from it, either way, 2 by default',
    }),
    with: Type.Array(oneOf(['tests', 'issues', 'validations']), {
      description: 'The neighbourhood of `root` in the effective graph instead, with these',
    }),
    kind: Type.Array(oneOf(NODE_KINDS)),
    tag: Type.Array(Type.String()),
    q: Type.String({
      maxLength: 500,
      description: 'Full text of id, title and statement: words, "phrases", a trailing *',
    }),
    id: Type.String({ description: 'With `view=overlays`: one edit or addition' }),
    state: Type.Array(oneOf(OVERLAY_STATES), { description: 'With `view=overlays`' }),
    limit: Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE }),
    cursor: Type.String({ maxLength: 300 }),
  }),
);
export type GraphQuery = Static<typeof GraphQuery>;

const Count = Type.Integer({ minimum: 0 });

const Document = Type.Object({
  id: nullable(Type.String({ description: 'Null for what is in no document' })),
  title: nullable(Type.String()),
  path: nullable(Type.String()),
  parentId: nullable(Type.String({ description: 'The document that it is in' })),
  items: Type.Integer({ minimum: 0, description: 'Nodes of it, without those of documents in it' }),
  requirements: Type.Integer({ minimum: 0, description: 'Stories and requirements among them' }),
  statuses: Type.Unsafe<Partial<Record<(typeof COVERAGE_STATUSES)[number], number>>>(
    Type.Object(
      Object.fromEntries(COVERAGE_STATUSES.map((status) => [status, Type.Optional(Count)])),
      { description: 'How many of those that are counted stand so; none is left out' },
    ),
  ),
});

export const DocumentTree = Type.Object(
  { revision: Type.Integer(), documents: Type.Array(Document) },
  { title: 'DocumentTree', description: 'With `view=document`, in source order' },
);
export type DocumentTree = Static<typeof DocumentTree>;

const { code, severity, path, line, detail } = FindingBody.properties;
const { type, status } = EdgeBody.properties;

const DocumentItem = Type.Object(
  {
    node: GraphNodeBody,
    parentId: nullable(Type.String({ description: 'What contains it' })),
    depth: Type.Integer({ minimum: 0, description: 'Steps below its document' }),
    status: nullable(StoryHead.status, 'Null for what is no story, or is not counted'),
    inherited: StoryHead.inherited,
    tests: Type.Object(
      {
        ...(Object.fromEntries(RESULT_STATUSES.map((one) => [one, Count])) as Record<
          (typeof RESULT_STATUSES)[number],
          typeof Count
        >),
        notRun: Count,
      },
      { description: 'Its own tests and commands by their latest results' },
    ),
    findings: Type.Array(Type.Object({ code, severity, path, line, detail })),
    issues: StoryCoverageAnswer.properties.issues,
    up: Type.Array(
      Type.Object({ type, id: idOf('node'), title: nullable(Type.String()), status }),
      { description: 'What it links to; `dangling` where that is not there' },
    ),
    down: Type.Integer({ minimum: 0, description: 'How many links lead to it' }),
    overlays: Type.Array(Overlay, { description: 'Open or in force, the oldest decision first' }),
  },
  { title: 'DocumentItem' },
);
export type DocumentItem = Static<typeof DocumentItem>;

const DocumentPage = Type.Object(
  {
    document: nullable(Type.String({ description: 'Its id; null for what is in no document' })),
    before: Type.Integer({ minimum: 0, description: 'How many items of it stand before these' }),
    ...pageSchema('', DocumentItem).properties,
  },
  { title: 'DocumentPage' },
);
export type DocumentPage = Static<typeof DocumentPage>;

const Hanging = {
  tests: Type.Optional(
    Type.Array(
      Type.Object({
        ...StoryCoverageAnswer.properties.tests.items.properties,
        run: nullable(Type.Object({ id: idOf('test run'), at: timeOf('When it ran') })),
      }),
    ),
  ),
  issues: Type.Optional(
    Type.Array(
      Type.Object({
        ...StoryCoverageAnswer.properties.issues.items.properties,
        title: Type.String(),
        untrusted: Untrusted,
      }),
    ),
  ),
  validation: Type.Optional(nullable(StandingValidation, 'The verdict that counts')),
};

const NeighbourBody = Type.Object(
  {
    id: idOf('node'),
    kind: oneOf(NODE_KINDS),
    title: Type.String(),
    steps: Type.Integer({ minimum: 0, description: 'How far it is from the root' }),
    status: nullable(StoryHead.status, 'Null for what is no story, or is not counted'),
    inherited: StoryHead.inherited,
    ...Hanging,
    leftOut: Type.Object(
      { up: Count, down: Count, tests: Count, issues: Count },
      {
        description: 'How many more there are: nodes that it rests on, that rest on it, and so on',
      },
    ),
  },
  { title: 'Neighbour' },
);
export type Neighbour = Static<typeof NeighbourBody>;

const NeighbourhoodBody = Type.Object(
  {
    revision: Type.Integer(),
    root: Type.String(),
    nodes: Type.Array(NeighbourBody, { description: 'The nearest first' }),
    edges: Type.Array(EdgeBody),
    runs: Type.Optional(Type.Array(RunReference, { description: 'Those of the tests' })),
  },
  { title: 'Neighbourhood', description: 'With `with`: at most `limit` nodes, 50 by default' },
);
export type Neighbourhood = Static<typeof NeighbourhoodBody>;

export const GraphAnswer = Type.Union([
  GraphBody,
  Type.Object(
    {},
    {
      additionalProperties: true,
      description: 'With `format` needs-json or srs-json: that format',
    },
  ),
  pageSchema('OverlayPage', Overlay),
  Overlay,
  GraphDiff,
  DocumentTree,
  DocumentPage,
  NeighbourhoodBody,
]);
export type GraphAnswer = Static<typeof GraphAnswer>;
