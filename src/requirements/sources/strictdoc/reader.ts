// Reads StrictDoc: documents (`.sdoc`) with the grammars (`.sgra`) that they import and the documents
// that they take in, as one set, since relations go from one to another.
import { Lines } from '../account.ts';
import { idFault, shownId } from '../item-ids.ts';
import type { SourceFile, SourceReader, SourceResult } from '../model.ts';
import { byPath, emptyResult, type FileReport, reportOn, textOf } from '../report.ts';
import { SourceFault } from '../tree/fault.ts';
import { checkNode, DEFAULT_GRAMMAR, withBuiltIn } from './grammar.ts';
import { documentItem, generatedId, nodeItem, ownId, shownRelation, titleOf } from './items.ts';
import { anchorsOf, beside, includedIn, inlineLinks, relationLinks } from './links.ts';
import {
  fieldOf,
  type Grammar,
  type GrammarElement,
  type ParsedDocument,
  type SdocContent,
} from './model.ts';
import { parseSdoc } from './parser.ts';

const HEAD = /^\s*\[(?:DOCUMENT|GRAMMAR)\][^\S\n]*(?:[\r\n]|$)/;

/** Reads the documents of StrictDoc and holds them against their grammars. */
export const readStrictdoc: SourceReader = (files) => {
  const result = emptyResult();
  const set = readSet(files, result);
  const { documents } = set;
  const around = includedIn(documents);
  const anchors = anchorsIn(documents);
  for (const document of documents) {
    const { path, id, content, ids, report } = document;
    const elements = elementsOf(document, set.grammars);
    const parentId = around.get(path) ?? null;
    result.items.push({ ...documentItem(path, id, content), parentId });
    if (fieldOf(content, 'TITLE') === null)
      report.report('missing_field', 1, 'The document has no TITLE.', { itemId: id });
    for (const [place, node] of content.nodes.entries()) {
      const nodeId = ids[place] ?? id;
      const above = node.parent === null ? id : (ids[node.parent] ?? id);
      const item = nodeItem(node, nodeId, path, above);
      result.items.push(item);
      result.links.push(...relationLinks(node, item), ...inlineLinks(node, item, anchors));
      if (elements) checkNode(node, nodeId, elements, report);
      for (const relation of node.relations) {
        if (relation.value !== '' && RELATION_TYPES.has(relation.type)) continue;
        const detail = `A relation is Parent, Child or File, and names what it is to: ${shownRelation(relation).slice(0, 200)}`;
        report.report('invalid_link', relation.line, detail, { itemId: nodeId });
      }
    }
  }
  result.findings.sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
  for (const report of set.reports) report.finish();
  return result;
};

const RELATION_TYPES = new Set(['Parent', 'Child', 'File']);

interface SdocSet {
  documents: ParsedDocument[];
  /** Of files that hold a grammar alone, by their paths. */
  grammars: Map<string, Grammar>;
  reports: FileReport[];
}

function readSet(files: readonly SourceFile[], result: SourceResult): SdocSet {
  const set: SdocSet = { documents: [], grammars: new Map(), reports: [] };
  for (const file of byPath(files)) {
    const { path } = file;
    const report = reportOn(result, path);
    set.reports.push(report);
    const content = contentOf(file, report);
    if (content === null) continue;
    const { grammar, fields, nodes, includes } = content;
    const isEmpty = fields.length === 0 && nodes.length === 0 && includes.length === 0;
    if (grammar !== null && isEmpty) set.grammars.set(path, grammar);
    else set.documents.push(identified(path, content, report));
  }
  return set;
}

function contentOf(file: SourceFile, report: FileReport): SdocContent | null {
  const text = textOf(file, report);
  try {
    if (!HEAD.test(text)) {
      const detail = 'The file begins neither with [DOCUMENT] nor with [GRAMMAR].';
      throw new SourceFault(1, detail);
    }
    const lines = new Lines(text);
    const content = parseSdoc(lines);
    report.reportLosses(lines.left());
    const tags = [...(content.grammar?.elements.keys() ?? [])].join(', ').slice(0, 120);
    const loss = { what: 'grammar', line: content.grammar?.line ?? 1, text: tags, times: 1 };
    report.reportLosses(tags === '' ? [] : [loss], () => true);
    return content;
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    report.fail(error.line, error.message);
    return null;
  }
}

function identified(path: string, content: SdocContent, report: FileReport): ParsedDocument {
  const counts = new Map<string, number>();
  const id = ownId(content) ?? path;
  const ids = content.nodes.map(
    (node) => ownId(node) ?? generatedId(path, titleOf(node) || node.tag, counts),
  );
  for (const [place, { fields }] of [content, ...content.nodes].entries()) {
    const uid = fields.find(({ name }) => name === 'UID');
    const fault = uid && idFault(uid.value.trim());
    if (!fault || uid.value === '') continue;
    const detail = `A UID ${fault}: ${shownId(uid.value)}`;
    const itemId = place === 0 ? id : (ids[place - 1] ?? null);
    report.report('invalid_id', uid.line, detail, { itemId });
  }
  return { path, id, content, ids, report };
}

function elementsOf(
  { path, content: { grammar }, report }: ParsedDocument,
  grammars: ReadonlyMap<string, Grammar>,
): ReadonlyMap<string, GrammarElement> | null {
  if (grammar === null) return DEFAULT_GRAMMAR;
  const { importedFrom, line } = grammar;
  if (importedFrom === null) return withBuiltIn(grammar);
  // StrictDoc takes only the name of a file beside the document.
  const isName = !/[/\\]|\.\./.test(importedFrom);
  const imported = isName ? grammars.get(beside(path, importedFrom)) : undefined;
  if (imported) return withBuiltIn(imported);
  const detail = `The grammar ${importedFrom.slice(0, 200)} is not beside the document: nothing is held against it.`;
  report.report('missing_file', line, detail);
  return null;
}

/**
 * Finds the items in which anchors stand, by the names of these. A name that is the id of a document or
 * a node is that one's, and of two anchors with one name the first has it.
 */
function anchorsIn(documents: readonly ParsedDocument[]): Map<string, string> {
  const named = documents.flatMap(({ id, ids }) => [id, ...ids]);
  const anchors = new Map(named.map((id) => [id, id]));
  for (const { content, ids, report } of documents) {
    for (const [place, node] of content.nodes.entries()) {
      const id = ids[place] ?? '';
      for (const { uid, line } of anchorsOf(node)) {
        const earlier = anchors.get(uid);
        if (earlier === undefined) anchors.set(uid, id);
        else {
          const detail = `Links to ${uid.slice(0, 80)} are to ${earlier}, not to this anchor.`;
          report.report('duplicate_id', line, detail, { itemId: id, relatedIds: [earlier] });
        }
      }
    }
  }
  return anchors;
}
