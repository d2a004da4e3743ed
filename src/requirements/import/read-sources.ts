// From files to a graph and its audit: each format's reader on its files, then the graph over all
// of them. A pure function, so that it can run in a worker.
import { completeFindings, type Finding } from '../audit/finding.ts';
import { graphFindings } from '../audit/graph-findings.ts';
import { buildGraph } from '../graph/build.ts';
import type { NormativeField } from '../graph/fingerprint.ts';
import type { Graph } from '../graph/model.ts';
import { detectFormat } from '../sources/detect.ts';
import type {
  SourceFile,
  SourceFinding,
  SourceFormat,
  SourceResult,
  SourceStatus,
} from '../sources/model.ts';
import { READERS } from '../sources/readers.ts';

/** A file to import, with its format where the sender says it. */
export interface ImportFile extends SourceFile {
  format: SourceFormat | null;
}

/** How one file of the set fared. */
export interface ReadSource {
  path: string;
  format: SourceFormat | null;
  status: SourceStatus;
  items: number;
}

export interface ReadSources {
  graph: Graph;
  findings: Finding[];
  sources: ReadSource[];
}

/**
 * Reads a source set. It never throws for what the files hold: that becomes findings.
 *
 * @param normative - the fields that fingerprints cover
 */
export function readSources(
  files: readonly ImportFile[],
  normative: readonly NormativeField[],
): ReadSources {
  const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : 1));
  const formats = new Map(sorted.map((file) => [file.path, file.format ?? detectFormat(file)]));
  const results = [...Map.groupBy(sorted, (file) => formats.get(file.path) ?? null)].map(
    ([format, group]) => readGroup(format, group),
  );
  const items = results.flatMap((result) => result.items);
  const links = results.flatMap((result) => result.links);
  const graph = buildGraph({ items, links }, normative);
  const read = [...results.flatMap((result) => result.findings), ...graph.findings];
  const found = [...read, ...withoutRepeats(graphFindings(graph), read)];
  const counts = Map.groupBy(items, (item) => item.path);
  const statuses = new Map(results.flatMap((result) => [...result.statuses]));
  return {
    graph: { nodes: graph.nodes, edges: graph.edges },
    findings: completeFindings(found),
    sources: sorted.map(({ path }) => ({
      path,
      format: formats.get(path) ?? null,
      status: statuses.get(path) ?? 'ignored',
      items: counts.get(path)?.length ?? 0,
    })),
  };
}

/** What a format's own rules have found already is not found again in the graph. */
function withoutRepeats(more: SourceFinding[], found: readonly SourceFinding[]): SourceFinding[] {
  const known = new Set(found.map(({ code, itemId }) => JSON.stringify([code, itemId])));
  return more.filter(({ code, itemId }) => !known.has(JSON.stringify([code, itemId])));
}

function readGroup(format: SourceFormat | null, files: readonly SourceFile[]): SourceResult {
  const reader = format === null ? undefined : READERS[format];
  if (reader) return reader(files);
  return {
    ...{ items: [], links: [], scenarios: [] },
    findings: files.map(({ path }) => unread(path, format)),
    statuses: new Map(files.map(({ path }) => [path, 'ignored' as const])),
  };
}

function unread(path: string, format: SourceFormat | null): SourceFinding {
  const detail =
    format === null
      ? 'The file is of no format that is known here; it is kept, and not read.'
      : `The file is kept; ${format} sources hold no requirements.`;
  return {
    code: format === null ? 'unknown_format' : 'format_without_requirements',
    severity: format === null ? 'warning' : 'info',
    ...{ path, line: 0, itemId: null, relatedIds: [], detail },
  };
}
