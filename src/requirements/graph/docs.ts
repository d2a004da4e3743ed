// What the API document says of the graph and the audit.
import type { OperationDocs } from '../../model/docs.ts';
import { SarifLog } from '../audit/sarif.ts';
import { FINDING_CODES, FINDINGS } from '../sources/findings.ts';
import type { GraphNode } from './model.ts';

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

const GRAPH = {
  revision: 1,
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
      example: GRAPH,
      alsoAs: {
        'text/vnd.graphviz': 'digraph srs {…',
        'text/vnd.mermaid': 'flowchart LR\n…',
        'application/graphml+xml': '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">…',
        'application/xml': '<REQ-IF xmlns="http://www.omg.org/spec/ReqIF/20110401/reqif.xsd">…',
      },
      headers: ['ETag', 'Link'],
    },
  },
  problems: ['not_found'],
};

const CODES_LIST = FINDING_CODES.map((code) => {
  const [severity, meaning] = FINDINGS[code];
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
        sources: [],
        findings: [],
        summary: { errors: 0, warnings: 0, infos: 0, codes: {} },
      },
      alsoAs: {
        'application/sarif+json': { schema: SarifLog, example: { version: '2.1.0', runs: [] } },
      },
      headers: ['ETag'],
    },
  },
  problems: ['not_found'],
};
