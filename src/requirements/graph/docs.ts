// What the API document says of the graph and the audit.
import type { OperationDocs } from '../../model/docs.ts';
import type { Finding } from '../audit/finding.ts';
import { writeSarif } from '../audit/sarif.ts';
import { writeNeedsJson } from '../export/needs-json.ts';
import { writeSrsJson } from '../export/srs-json.ts';
import { FINDING_CODES, FINDINGS as FINDING_TABLE } from '../sources/findings.ts';
import type { Graph, GraphNode } from './model.ts';
import { SarifLog } from './schemas.ts';

/** A node, for examples. */
export const NODE_EXAMPLE: GraphNode = {
  id: 'US-12',
  kind: 'story',
  title: 'Paying once',
  statement: 'As a customer I want to pay once.',
  acceptance: ['A second press of the button charges nothing'],
  rationale: null,
  status: null,
  priority: 'high',
  tags: ['payment'],
  attributes: {},
  active: true,
  source: { path: 'stories.md', line: 3 },
  order: 1,
  fingerprint: 'f1.ktsal:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  deepFingerprint: 'd1.ktsal:60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
};

const GRAPH: Graph = {
  nodes: [NODE_EXAMPLE],
  edges: [{ from: 'stories.md', to: 'US-12', type: 'contains', status: 'ok' }],
};

function jsonExamples(): Record<string, unknown> {
  const subject = { project: 'shop', revision: 1, at: Date.UTC(2026, 0, 31, 12) };
  const needsJson = JSON.parse(writeNeedsJson(GRAPH, subject));
  // Schemas inside an example are taken for those of the document.
  for (const version of Object.values<{ needs_schema?: unknown }>(needsJson.versions))
    delete version.needs_schema;
  return { needsJson, srsJson: JSON.parse(writeSrsJson(GRAPH)) };
}

const TEXT_EXAMPLES = {
  'text/vnd.graphviz': 'digraph srs {\n  "US-12" [shape=note, label="US-12\\nPaying once"];\n…',
  'text/vnd.mermaid': 'flowchart LR\n  n0["US-12: Paying once"]\n…',
  'application/graphml+xml':
    '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n…',
  'application/xml':
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    '<REQ-IF xmlns="http://www.omg.org/spec/ReqIF/20110401/reqif.xsd">\n…',
};

export const GRAPH_DOCS: OperationDocs = {
  description:
    'The canonical graph of a revision, whole and in source order. `root`, `depth`, `kind`, `tag` and `q` cut it, ' +
    '`format` writes it for other tools. `view=effective` lays the accepted edits and active additions on the latest ' +
    'revision; `view=overlays` lists edits and additions instead, the newest first, by `state`, or one by its `id`.',
  replies: {
    200: {
      description: 'The graph; or a page of edits and additions, or one of them',
      examples: {
        graph: { revision: 1, ...GRAPH },
        ...jsonExamples(),
        overlays: { items: [], nextCursor: null },
      },
      alsoAs: TEXT_EXAMPLES,
      headers: ['ETag', 'Link'],
    },
  },
  problems: ['not_found'],
};

const FINDINGS: Finding[] = [
  {
    code: 'dangling_reference',
    severity: 'error',
    path: 'stories.md',
    line: 3,
    itemId: 'US-12',
    relatedIds: ['US-99'],
    detail: 'US-12 depends US-99, which is in no source.',
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
      example: {
        revision: 1,
        sources: [
          {
            path: 'stories.md',
            format: 'markdown',
            bytes: 812,
            status: 'parsed',
            items: 2,
            sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
          },
        ],
        findings: FINDINGS,
        summary: { errors: 1, warnings: 0, infos: 0, codes: { dangling_reference: 1 } },
      },
      alsoAs: { 'application/sarif+json': { schema: SarifLog, example: writeSarif(FINDINGS) } },
      headers: ['ETag'],
    },
  },
  problems: ['not_found'],
};
