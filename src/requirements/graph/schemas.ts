// The graph, its sources and its audit as answers show them.
import { Type } from '@sinclair/typebox';
import { pageSchema } from '../../model/answer-schemas.ts';
import { nullable, oneOf } from '../../model/schemas.ts';
import { Overlay } from '../overlay/schemas.ts';
import { EDGE_TYPES, NODE_KINDS, SOURCE_FORMATS } from '../sources/model.ts';
import { SRS_FORMAT, SRS_VERSION } from '../sources/srs-json/schema.ts';

const Open = Type.Object({}, { additionalProperties: true });

export const GraphNodeBody = Type.Object(
  {
    id: Type.String({ description: 'As its source gave it' }),
    kind: oneOf(NODE_KINDS),
    title: Type.String(),
    statement: Type.String(),
    acceptance: Type.Array(Type.String()),
    rationale: nullable(Type.String()),
    status: nullable(Type.String()),
    priority: nullable(Type.String()),
    tags: Type.Array(Type.String()),
    attributes: Type.Object({}, { additionalProperties: true }),
    active: Type.Boolean({ description: 'False where its source has retired it' }),
    source: Type.Object({ path: Type.String(), line: Type.Integer() }),
    order: Type.Integer({ description: 'Its place in source order' }),
    fingerprint: Type.String({
      description: 'Of its normative content; the prefix names algorithm and profile',
    }),
    deepFingerprint: Type.String({ description: 'Of that and of all that it rests on' }),
  },
  { title: 'GraphNode' },
);

const Edge = Type.Object(
  {
    from: Type.String(),
    to: Type.String(),
    type: oneOf(EDGE_TYPES),
    status: oneOf(
      ['ok', 'suspect', 'dangling'],
      '`dangling`: what it leads to is not there; of what `contains` an addition, what it comes from',
    ),
    role: Type.Optional(
      Type.String({ description: "The source's own name of the relation, where it says more" }),
    ),
    attributes: Type.Optional(Type.Object({}, { additionalProperties: true })),
  },
  { title: 'GraphEdge' },
);

export const GraphBody = Type.Object(
  { revision: Type.Integer(), nodes: Type.Array(GraphNodeBody), edges: Type.Array(Edge) },
  { title: 'SrsGraph' },
);

const NeedsJson = Type.Object(
  {
    current_version: Type.String(),
    project: Type.String(),
    versions: Type.Record(Type.String(), Open, { description: 'One, with its `needs` by id' }),
  },
  { title: 'NeedsJson', description: 'With `format=needs-json`: as Sphinx-Needs reads it' },
);

const SrsJson = Type.Object(
  {
    format: oneOf([SRS_FORMAT]),
    version: Type.Integer({ minimum: SRS_VERSION, maximum: SRS_VERSION }),
    nodes: Type.Array(Open),
    edges: Type.Array(Open),
  },
  {
    title: 'SrsJson',
    description: 'With `format=srs-json`: from which the same graph is read again',
  },
);

export const GraphAnswer = Type.Union([
  GraphBody,
  NeedsJson,
  SrsJson,
  pageSchema('OverlayPage', Overlay),
  Overlay,
]);

const FindingBody = Type.Object(
  {
    code: Type.String(),
    severity: oneOf(['error', 'warning', 'info']),
    path: Type.String(),
    line: Type.Integer({ description: '0 where it concerns the whole file' }),
    itemId: nullable(Type.String()),
    relatedIds: Type.Array(Type.String()),
    detail: Type.String(),
    fingerprint: Type.String({ description: 'Stays the same while the text around it moves' }),
  },
  { title: 'Finding' },
);

export const SourceBody = Type.Object(
  {
    path: Type.String(),
    format: nullable(oneOf(SOURCE_FORMATS)),
    sha256: Type.String(),
    bytes: Type.Integer(),
    status: oneOf(['parsed', 'partial', 'failed', 'ignored']),
    items: Type.Integer(),
  },
  { title: 'Source', additionalProperties: true },
);

export const SourceAudit = Type.Object(
  {
    revision: Type.Integer(),
    sources: Type.Array(SourceBody),
    findings: Type.Array(FindingBody),
    summary: Type.Object({
      errors: Type.Integer(),
      warnings: Type.Integer(),
      infos: Type.Integer(),
      codes: Type.Record(Type.String(), Type.Integer()),
    }),
  },
  { title: 'SourceAudit' },
);

export const SarifLog = Type.Object(
  { $schema: Type.String(), version: oneOf(['2.1.0']), runs: Type.Array(Open) },
  { title: 'SarifLog', description: 'A log of SARIF 2.1.0 (OASIS) with one run' },
);
