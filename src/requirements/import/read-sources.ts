// From files to a graph and its audit: each format's reader on its files, then the graph over all
// of them. A pure function, so that it can run in a worker.
import { catalogFindings, completeFindings, type Finding } from '../audit/findings.ts';
import { graphFindings } from '../audit/graph-findings.ts';
import { type BuiltGraph, buildGraph } from '../graph/build.ts';
import type { NormativeField } from '../graph/fingerprint.ts';
import { type Graph, isNormative } from '../graph/model.ts';
import { linkTags } from '../sources/item-ids.ts';
import type {
  ReaderOptions,
  SourceFile,
  SourceFormat,
  SourceResult,
  SourceRoute,
  SourceScenario,
  SourceStatus,
} from '../sources/model.ts';
import { READERS } from '../sources/readers.ts';
import { emptyResult, readOrFail, reportOn } from '../sources/report.ts';
import { binaryLine, decodeSource } from '../sources/text.ts';
import { parseJson } from '../sources/tree/json.ts';

export interface ImportFile extends SourceFile {
  /** As its sender says or as it is detected; null where it is none that is known. */
  format: SourceFormat | null;
}

export interface ReadSource {
  path: string;
  format: SourceFormat | null;
  status: SourceStatus;
  /** Its items; the routes of an API document, the scenarios of a feature. */
  items: number;
  /** By the identifier of a ReqIF type, the attribute that was taken for its text. */
  textAttributes: Readonly<Record<string, string>> | null;
}

export interface Catalog {
  scenarios: SourceScenario[];
  routes: SourceRoute[];
  /** The ids of all that is normative; undefined where an older version has made the catalog. */
  stories?: string[];
}

export interface ReadSources {
  graph: Graph;
  catalog: Catalog;
  findings: Finding[];
  sources: ReadSource[];
}

/** Reads a source set. It never throws for what the files hold: that becomes findings. */
export function readSources(
  files: readonly ImportFile[],
  normative: readonly NormativeField[],
  options: ReaderOptions & { onParsed?(): void; onGraph?(graph: Graph): void } = {},
): ReadSources {
  const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : 1));
  // ReqIF says its own encoding, and may be an archive.
  const binary = withoutText(sorted.filter(({ format }) => format && format !== 'reqif'));
  const texts = sorted.filter(({ path }) => !binary.statuses.has(path));
  const groups = Map.groupBy(texts, ({ format }) => format);
  const others = groups.get(null) ?? [];
  groups.delete(null);
  const results = [...groups].map(([format, group]) =>
    READERS[format as SourceFormat](group, others, options),
  );
  results.push(binary);
  const parts = new Set(results.flatMap((result) => [...result.statuses.keys()]));
  results.push(unread(others.filter(({ path }) => !parts.has(path))));
  const items = results.flatMap((result) => result.items);
  const links = results.flatMap((result) => result.links);
  options.onParsed?.();
  const prose = new Set(sorted.flatMap(({ path, format }) => (format === 'markdown' ? path : [])));
  const built = buildGraph({ items, links, prose }, normative);
  const { nodes, edges } = built;
  options.onGraph?.({ nodes, edges });
  const read = [...results.flatMap((result) => result.findings), ...built.findings];
  const ids = new Set(nodes.filter(isNormative).map(({ id }) => id));
  const catalog = {
    scenarios: results.flatMap((result) =>
      result.scenarios.map((one) => linkTags(one, (id) => ids.has(id))),
    ),
    routes: results.flatMap((result) => result.routes),
    stories: [...ids],
  };
  // Why a document holds nothing, where its reader says it: its items stand elsewhere, or nowhere.
  const explained = new Set(
    read.flatMap(({ code, itemId, relatedIds }) =>
      code === 'ambiguous_place' || code === 'dangling_reference' ? [itemId, ...relatedIds] : [],
    ),
  );
  const found = [
    ...read,
    ...graphFindings(built).filter(
      ({ code, itemId }) => code !== 'empty_document' || !explained.has(itemId),
    ),
    ...catalogFindings(catalog, nodes),
  ];
  const counts = new Map<string, number>();
  const count = (path: string) => counts.set(path, (counts.get(path) ?? 0) + 1);
  for (const { givenBy, path } of items) count(givenBy ?? path);
  for (const { path } of [...catalog.routes, ...catalog.scenarios]) count(path);
  const statuses = new Map(results.flatMap((result) => [...result.statuses]));
  const textAttributes = new Map(results.flatMap((result) => [...(result.textAttributes ?? [])]));
  for (const path of pathsLeftOut(built)) {
    if (statuses.get(path) === 'parsed') statuses.set(path, 'partial');
  }
  return {
    graph: { nodes, edges },
    catalog,
    findings: completeFindings(found),
    sources: sorted.map(({ path, format }) => ({
      path,
      format,
      status: statuses.get(path) ?? 'ignored',
      items: counts.get(path) ?? 0,
      textAttributes: textAttributes.get(path) ?? null,
    })),
  };
}

function withoutText(files: readonly SourceFile[]): SourceResult {
  const result = emptyResult();
  for (const { path, bytes } of files) {
    const line = binaryLine(bytes);
    if (line === null) continue;
    const report = reportOn(result, path);
    report.fail(line, 'The file is no text in UTF-8, or in UTF-16 with a byte order mark.');
    report.finish();
  }
  return result;
}

function pathsLeftOut({ leftOut, unnameable }: BuiltGraph): string[] {
  return [
    ...leftOut.map(({ path, givenBy }) => givenBy ?? path),
    ...unnameable.map(({ path, item }) => item?.givenBy ?? path),
  ];
}

/** Files that no reader takes; one that says it is JSON and is not has its parser's error. */
function unread(files: readonly SourceFile[]): SourceResult {
  const result = emptyResult();
  for (const file of files) {
    const report = reportOn(result, file.path);
    const isJson = /\.json$/i.test(file.path);
    const fault =
      isJson && readOrFail(report, () => parseJson(decodeSource(file.bytes).text)) === null;
    if (!fault) report.report('unknown_format', 0, 'The file is of no format that is known.');
    report.finish();
    if (!fault) result.statuses.set(file.path, 'ignored');
  }
  return result;
}
