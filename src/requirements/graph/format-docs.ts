// What the API document says of the formats in which the graph and the audit are written for other tools.
import { Type } from '@sinclair/typebox';
import { oneOf } from '../../model/schemas.ts';
import { writeSarif } from '../audit/sarif.ts';
import { writeNeedsJson } from '../export/needs-json.ts';
import { writeSrsJson } from '../export/srs-json.ts';
import { SRS_FORMAT, SRS_VERSION } from '../sources/srs-json/schema.ts';
import type { Graph } from './model.ts';

const Open = Type.Object({}, { additionalProperties: true });

export const NeedsJson = Type.Object(
  {
    current_version: Type.String(),
    project: Type.String(),
    versions: Type.Record(Type.String(), Open, { description: 'One, with its `needs` by id' }),
  },
  { title: 'NeedsJson', description: 'With `format=needs-json`: as Sphinx-Needs reads it' },
);

export const SrsJson = Type.Object(
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

const SarifLog = Type.Object(
  { $schema: Type.String(), version: oneOf(['2.1.0']), runs: Type.Array(Open) },
  { title: 'SarifLog', description: 'A log of SARIF 2.1.0 (OASIS) with one run' },
);

/** A graph in the formats that are JSON, by the names of the examples. */
export function jsonExamples(graph: Graph): Record<string, unknown> {
  const needsJson = JSON.parse(writeNeedsJson(graph, SUBJECT));
  // Schemas inside an example are taken for those of the document.
  for (const version of Object.values<{ needs_schema?: unknown }>(needsJson.versions))
    delete version.needs_schema;
  return { needsJson, srsJson: JSON.parse(writeSrsJson(graph)) };
}

/** The beginnings of the same in the others, by their media types. */
export const TEXT_EXAMPLES = {
  'text/vnd.graphviz': 'digraph srs {\n  "US-12" [shape=note, label="US-12\\nPaying once"];\n…',
  'text/vnd.mermaid': 'flowchart LR\n  n0["US-12: Paying once"]\n…',
  'application/graphml+xml':
    '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n…',
  'application/xml':
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    '<REQ-IF xmlns="http://www.omg.org/spec/ReqIF/20110401/reqif.xsd">\n…',
};

const SUBJECT = { project: 'shop', revision: 1, at: Date.UTC(2026, 0, 31, 12) };

/** What the audit answers with `format=sarif`. */
export function sarifDocs(findings: Parameters<typeof writeSarif>[0]) {
  return { schema: SarifLog, example: writeSarif(findings) };
}
