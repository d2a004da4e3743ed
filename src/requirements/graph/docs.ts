// What the API document says of the graph and the audit.
import { Type } from '@sinclair/typebox';
import type { OperationDocs } from '../../http/document/operation.ts';
import { pageSchema } from '../../model/answer-schemas.ts';
import { nullable, oneOf } from '../../model/schemas.ts';
import type { Finding } from '../audit/finding.ts';
import { Overlay } from '../overlay/schemas.ts';
import { FINDING_CODES, FINDINGS as FINDING_TABLE } from '../sources/findings.ts';
import { EDGE_TYPES, NODE_KINDS, SOURCE_FORMATS } from '../sources/model.ts';
import { jsonExamples, NeedsJson, SrsJson, sarifDocs, TEXT_EXAMPLES } from './format-docs.ts';
import type { Graph, GraphNode } from './model.ts';

/** A node of the graph. */
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

const GraphBody = Type.Object(
  { revision: Type.Integer(), nodes: Type.Array(GraphNodeBody), edges: Type.Array(Edge) },
  { title: 'SrsGraph' },
);

/** A node, for examples. */
export const NODE_EXAMPLE: GraphNode = {
  ...{
    id: 'US-12',
    kind: 'story',
    title: 'Paying once',
    statement: 'As a customer I want to pay once.',
  },
  ...{
    acceptance: ['A second press of the button charges nothing'],
    rationale: null,
    status: null,
  },
  ...{ priority: 'high', tags: ['payment'], attributes: {}, active: true },
  ...{ source: { path: 'stories.md', line: 3 }, order: 1 },
  fingerprint: 'f1.ktsal:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  deepFingerprint: 'd1.ktsal:60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
};

const GRAPH: Graph = {
  nodes: [NODE_EXAMPLE],
  edges: [{ from: 'stories.md', to: 'US-12', type: 'contains', status: 'ok' }],
};

export const GRAPH_DOCS: OperationDocs = {
  description:
    'The canonical graph of a revision, whole and in source order. `root`, `depth`, `kind`, `tag` and `q` cut it, ' +
    '`format` writes it for other tools. `view=effective` lays the accepted edits and active additions on the latest ' +
    'revision; `view=overlays` lists edits and additions instead, the newest first, by `state`, or one by its `id`.',
  replies: {
    200: {
      description: 'The graph; or a page of edits and additions, or one of them',
      schema: Type.Union([
        GraphBody,
        NeedsJson,
        SrsJson,
        pageSchema('OverlayPage', Overlay),
        Overlay,
      ]),
      examples: {
        graph: { revision: 1, ...GRAPH },
        ...jsonExamples(GRAPH),
        overlays: { items: [], nextCursor: null },
      },
      alsoAs: TEXT_EXAMPLES,
      headers: ['ETag', 'Link'],
    },
  },
  problems: ['not_found'],
};

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

const FINDINGS: Finding[] = [
  {
    ...{
      code: 'dangling_reference',
      severity: 'error',
      path: 'stories.md',
      line: 3,
      itemId: 'US-12',
    },
    ...{ relatedIds: ['US-99'], detail: 'US-12 depends US-99, which is in no source.' },
    fingerprint: 'a1:9f86d081884c7d659a2fea',
  },
];

const CODES_LIST = FINDING_CODES.map((code) => {
  const [severity, meaning] = FINDING_TABLE[code];
  return `- \`${code}\` (${severity}): ${meaning}`;
}).join('\n');

export const AUDIT_DOCS: OperationDocs = {
  description:
    'What is wrong or weak in the sources of a revision, the worst first; of the latest also what is so in its edits, ' +
    'additions and verdicts: `edit_conflicted`, `addition_absorbed`, `changed_since_validation`, and `dangling_reference` where ' +
    'what an active addition is linked to, or stands below, has left. `format=sarif` is SARIF 2.1.0.\n\n' +
    `The codes, each with its usual severity:\n\n${CODES_LIST}`,
  replies: {
    200: {
      description: 'The findings',
      schema: Type.Object(
        {
          revision: Type.Integer(),
          sources: Type.Array(SourceBody),
          findings: Type.Array(FindingBody),
          summary: Type.Object({
            ...{ errors: Type.Integer(), warnings: Type.Integer(), infos: Type.Integer() },
            codes: Type.Record(Type.String(), Type.Integer()),
          }),
        },
        { title: 'SourceAudit' },
      ),
      example: {
        revision: 1,
        sources: [
          {
            ...{ path: 'stories.md', format: 'markdown', bytes: 812, status: 'parsed', items: 2 },
            sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
          },
        ],
        findings: FINDINGS,
        summary: { errors: 1, warnings: 0, infos: 0, codes: { dangling_reference: 1 } },
      },
      alsoAs: { 'application/sarif+json': sarifDocs(FINDINGS) },
      headers: ['ETag'],
    },
  },
  problems: ['not_found'],
};
