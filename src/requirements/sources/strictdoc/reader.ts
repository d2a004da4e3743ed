// Reads StrictDoc: documents (`.sdoc`) with the grammars (`.sgra`) that they import and the documents
// that they take in, as one set, since relations go from one to another.
import { Lines } from '../account.ts';
import type { SourceFile, SourceReader, SourceResult } from '../model.ts';
import { byPath, emptyResult, type FileReport, reportOn, textOf } from '../report.ts';
import { SourceFault } from '../tree/fault.ts';
import { idFault, shownId } from '../usable-id.ts';
import { checkNode, DEFAULT_GRAMMAR, withBuiltIn } from './grammar.ts';
import { beside, type Inclusion, includedIn } from './includes.ts';
import { documentItem, GeneratedIds, nodeItem, ownId, shownRelation, titleOf } from './items.ts';
import { anchorsOf, inlineLinks, relationLinks } from './links.ts';
import {
  fieldOf,
  type Grammar,
  type GrammarElement,
  type ParsedDocument,
  type SdocContent,
} from './model.ts';
import { parseSdoc } from './parser.ts';

const HEAD = /^\s*\[(?:DOCUMENT|FRAGMENT|GRAMMAR)\][^\S\n]*(?:[\r\n]|$)/;

/** Reads the documents of StrictDoc and holds them against their grammars. */
export const readStrictdoc: SourceReader = (files, others = []) => {
  const result = emptyResult();
  const set = readSet(files, others, result);
  const documents = byPath([...set.documents.values()]);
  const around = includedIn(documents);
  const elementsOf = grammarFinder(set, around);
  const anchors = anchorsIn(documents);
  for (const document of documents) {
    const { path, id, content, ids, report } = document;
    const elements = elementsOf(document);
    const parentId = around.get(path)?.parentId ?? null;
    result.items.push({ ...documentItem(path, id, content), parentId });
    if (!content.isFragment && fieldOf(content, 'TITLE') === null)
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

/** What was read of a source set, by the paths of the files. */
interface SdocSet {
  documents: Map<string, ParsedDocument>;
  /** Of files that hold a grammar alone. */
  grammars: Map<string, Grammar>;
  reports: FileReport[];
}

/** Reads files, and of the others those that are taken in. */
function readSet(
  files: readonly SourceFile[],
  others: readonly SourceFile[],
  result: SourceResult,
): SdocSet {
  const set: SdocSet = { documents: new Map(), grammars: new Map(), reports: [] };
  const read = new Set<string>();
  const otherFiles = new Map(others.map((file) => [file.path, file]));
  const open = [...files];
  for (const file of open) {
    const { path } = file;
    if (read.has(path)) continue;
    read.add(path);
    const report = reportOn(result, path);
    set.reports.push(report);
    const content = contentOf(file, report);
    if (content === null) continue;
    const { grammar, fields, nodes, includes, isFragment } = content;
    const isEmpty = fields.length === 0 && nodes.length === 0 && includes.length === 0;
    if (grammar !== null && !isFragment && isEmpty) set.grammars.set(path, grammar);
    else set.documents.set(path, identified(path, content, report));
    for (const include of includes) {
      const part = otherFiles.get(beside(path, include.file));
      if (part !== undefined) open.push(part);
    }
  }
  return set;
}

function contentOf(file: SourceFile, report: FileReport): SdocContent | null {
  const text = textOf(file, report);
  try {
    if (!HEAD.test(text)) {
      const detail = 'The file begins neither with [DOCUMENT] nor with [GRAMMAR] or [FRAGMENT].';
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

/** Gives a document and its nodes their ids. */
function identified(path: string, content: SdocContent, report: FileReport): ParsedDocument {
  const generated = new GeneratedIds();
  const id = ownId(content) ?? path;
  const ids = content.nodes.map(
    (node) => ownId(node) ?? generated.idOf(path, titleOf(node) || node.tag),
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

/** Finds the elements that the nodes of a document are held against; null where there are none. */
function grammarFinder(
  { documents, grammars }: SdocSet,
  around: ReadonlyMap<string, Inclusion>,
): (document: ParsedDocument) => ReadonlyMap<string, GrammarElement> | null {
  const found = new Map<ParsedDocument, ReadonlyMap<string, GrammarElement> | null>();

  /** A fragment keeps to the grammar of what takes it in. */
  function wholeOf(document: ParsedDocument): ParsedDocument {
    let whole = document;
    while (whole.content.isFragment && whole.content.grammar === null) {
      const by = documents.get(around.get(whole.path)?.by ?? '');
      if (by === undefined) break;
      whole = by;
    }
    return whole;
  }

  function find({ path, content, report }: ParsedDocument) {
    const { grammar, isFragment } = content;
    if (grammar === null) return isFragment ? null : DEFAULT_GRAMMAR;
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

  return (document) => {
    const whole = wholeOf(document);
    const known = found.get(whole);
    if (known !== undefined) return known;
    const elements = find(whole);
    found.set(whole, elements);
    return elements;
  };
}

/**
 * Finds the items in which anchors stand, by the names of these. A name that is the id of a document or
 * a node is that one's, and of two anchors with one name the first has it.
 */
function anchorsIn(documents: readonly ParsedDocument[]): Map<string, string> {
  const owners = new Set(
    documents.flatMap(({ content }) =>
      [content, ...content.nodes].flatMap((block) => ownId(block) ?? []),
    ),
  );
  const anchors = new Map<string, string>();
  for (const { content, ids, report } of documents) {
    for (const [place, node] of content.nodes.entries()) {
      const id = ids[place] ?? '';
      for (const { uid, line } of anchorsOf(node)) {
        const earlier = owners.has(uid) ? uid : anchors.get(uid);
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
