// Reads StrictDoc: documents (`.sdoc`) with the grammars (`.sgra`) that they import and the documents
// that they take in, as one set, since relations go from one to another.
import type {
  SourceFile,
  SourceFinding,
  SourceItem,
  SourceLink,
  SourceReader,
  SourceStatus,
} from './model.ts';
import { DAMAGED, decodeSource } from './source-text.ts';
import { checkNode } from './strictdoc-check.ts';
import { DEFAULT_GRAMMAR, withBuiltIn } from './strictdoc-grammar.ts';
import { documentItem, GeneratedIds, nodeItem, ownId, titleOf } from './strictdoc-items.ts';
import { anchorsOf, inlineLinks, isUid, relationLinks } from './strictdoc-links.ts';
import { fieldOf, type GrammarElement, type Report, type SdocContent } from './strictdoc-model.ts';
import { parseSdoc } from './strictdoc-parser.ts';
import { checkAnyNode, checkDocument, checkMids } from './strictdoc-rules.ts';

interface ParsedDocument {
  path: string;
  id: string;
  content: SdocContent;
  /** The ids of its nodes, in their order. */
  ids: string[];
  report: Report;
}

/** Reads the documents of StrictDoc and holds them against their grammars. */
export const readStrictdoc: SourceReader = (files) => {
  const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)));
  const findings: SourceFinding[] = [];
  const statuses = new Map<string, SourceStatus>();
  const documents: ParsedDocument[] = [];
  const grammars = new Map<string, SdocContent>();
  const generated = new GeneratedIds();
  for (const file of sorted) {
    const report = reporter(file.path, findings, statuses);
    statuses.set(file.path, 'parsed');
    const content = contentOf(file, report);
    if (content === null) statuses.set(file.path, 'failed');
    else if (isGrammar(content)) grammars.set(file.path, content);
    else documents.push(identified(file.path, content, generated, report));
  }
  for (const document of documents) check(document, grammars);
  checkMids(documents.flatMap(blocksOf));

  const parents = includedIn(documents);
  const anchors = new Map<string, string>();
  for (const document of documents) collectAnchors(document, anchors);
  const items: SourceItem[] = [];
  const links: SourceLink[] = [];
  for (const { path, id, content, ids } of documents) {
    items.push({ ...documentItem(path, id, content), parentId: parents.get(path) ?? null });
    for (const [place, node] of content.nodes.entries()) {
      const nodeId = ids[place] ?? id;
      const parentId = node.parent === null ? id : (ids[node.parent] ?? id);
      const item = nodeItem(node, nodeId, path, parentId);
      items.push(item);
      links.push(...relationLinks(node, item), ...inlineLinks(node, item, anchors));
    }
  }
  findings.sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
  return { items, links, scenarios: [], routes: [], findings, statuses };
};

const LOST = new Set(['unparsed_source', 'unclosed_node', 'invalid_encoding']);

function reporter(
  path: string,
  findings: SourceFinding[],
  statuses: Map<string, SourceStatus>,
): Report {
  return (code, severity, line, detail, itemId = null, relatedIds = []) => {
    findings.push({ code, severity, path, line, itemId, relatedIds, detail });
    const lost = LOST.has(code) || code.startsWith('include_');
    if (lost && statuses.get(path) === 'parsed') statuses.set(path, 'partial');
  };
}

function contentOf({ bytes }: SourceFile, report: Report): SdocContent | null {
  const { text: decoded, damagedLine } = decodeSource(bytes);
  const text = decoded.replace(/\r\n?/g, '\n');
  if (!/^\s*\[(?:DOCUMENT|GRAMMAR)\][^\S\n]*(?:\n|$)/.test(text)) {
    report('unparsed_source', 'error', 1, 'The file begins with neither [DOCUMENT] nor [GRAMMAR].');
    return null;
  }
  if (damagedLine !== null) report('invalid_encoding', 'warning', damagedLine, DAMAGED);
  return parseSdoc(text, report);
}

/** A file that holds a grammar and no document, which others import. */
function isGrammar({ fields, nodes, grammar }: SdocContent): boolean {
  return grammar !== null && fields.length === 0 && nodes.length === 0;
}

function identified(
  path: string,
  content: SdocContent,
  generated: GeneratedIds,
  report: Report,
): ParsedDocument {
  const id = ownId(content) ?? path;
  const ids = content.nodes.map((node) => {
    const uid = fieldOf(node, 'UID');
    const own = ownId(node) ?? generated.idOf(path, titleOf(node) || node.tag);
    if (uid && !isUid(uid)) {
      report(
        'invalid_id',
        'error',
        node.line,
        `The UID ${uid.slice(0, 80)} is not as StrictDoc writes them.`,
        own,
      );
    } else if (!uid && node.tag !== 'SECTION' && node.tag !== 'TEXT') {
      report(
        'missing_id',
        'info',
        node.line,
        `The ${node.tag} has no UID: its id is ${ownId(node) === null ? 'made of path and title' : 'its MID'}.`,
        own,
      );
    }
    return own;
  });
  return { path, id, content, ids, report };
}

/** A document and its nodes, each with its id. */
function blocksOf({ id, content, ids, report }: ParsedDocument) {
  const nodes = content.nodes.map(({ fields }, place) => ({
    fields,
    id: ids[place] ?? id,
    report,
  }));
  return [{ fields: content.fields, id, report }, ...nodes];
}

function check(
  { path, id: documentId, content, ids, report }: ParsedDocument,
  grammars: ReadonlyMap<string, SdocContent>,
): void {
  checkDocument(content, documentId, report);
  const grammar = grammarOf(path, content, grammars, report);
  for (const [place, node] of content.nodes.entries()) {
    const id = ids[place] ?? '';
    if (grammar !== null) checkNode(node, id, grammar, report);
    checkAnyNode(node, id, report);
  }
}

/** The grammar of a document; null where it cannot be had, so that nothing is held against it. */
function grammarOf(
  path: string,
  { grammar }: SdocContent,
  grammars: ReadonlyMap<string, SdocContent>,
  report: Report,
): ReadonlyMap<string, GrammarElement> | null {
  if (grammar === null) return DEFAULT_GRAMMAR;
  const { importedFrom, line } = grammar;
  if (importedFrom === null) return withBuiltIn(grammar);
  const elsewhere = /[/\\]|\.\./.test(importedFrom);
  const imported = elsewhere ? undefined : grammars.get(beside(path, importedFrom))?.grammar;
  if (imported) return withBuiltIn(imported);
  const why = elsewhere
    ? 'is named by a path, where StrictDoc takes only the name of a file beside the document'
    : 'is not in the sources';
  const detail = `The grammar ${importedFrom.slice(0, 200)} ${why}: nothing is held against it.`;
  report('grammar_not_found', 'warning', line, detail);
  return null;
}

/** A path beside a file, with `..` taken out of it; empty where it leaves the top. */
function beside(path: string, name: string): string {
  const parts = path.split('/').slice(0, -1);
  for (const part of name.replaceAll('\\', '/').split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return '';
    } else if (part !== '.' && part !== '') parts.push(part);
  }
  return name.startsWith('/') ? '' : parts.join('/');
}

/** By the path of a document, the id of what takes it in. */
function includedIn(documents: readonly ParsedDocument[]): Map<string, string> {
  const byPath = new Map(documents.map((document) => [document.path, document]));
  const around = new Map<string, { by: string; parentId: string; line: number; report: Report }>();
  for (const { path, id, content, ids, report } of documents) {
    for (const { file, line, parent } of content.includes) {
      const target = byPath.get(beside(path, file));
      const by = target && around.get(target.path)?.by;
      const shown = file.slice(0, 200);
      if (target === undefined) {
        report(
          'include_not_found',
          'warning',
          line,
          `The document ${shown} is not in the sources.`,
          id,
        );
      } else if (target.path === path) {
        report('include_cycle', 'error', line, `${path} takes in itself: that is left out.`, id);
      } else if (by !== undefined) {
        report('include_repeated', 'warning', line, `${shown} is taken in by ${by} already.`, id, [
          target.id,
        ]);
      } else {
        const parentId = parent === null ? id : (ids[parent] ?? id);
        around.set(target.path, { by: path, parentId, line, report });
      }
    }
  }
  cutCycles(around);
  return new Map([...around].map(([path, { parentId }]) => [path, parentId]));
}

/** Takes one document out of each ring in which documents take in each other. */
function cutCycles(around: Map<string, { by: string; line: number; report: Report }>): void {
  const walks = new Map<string, string>();
  for (const start of around.keys()) {
    let here: string | undefined = start;
    while (here !== undefined && !walks.has(here)) {
      walks.set(here, start);
      here = around.get(here)?.by;
    }
    if (here === undefined || walks.get(here) !== start) continue;
    const place = around.get(here);
    place?.report(
      'include_cycle',
      'error',
      place.line,
      `${here} is taken in by what it takes in itself.`,
    );
    around.delete(here);
  }
}

function collectAnchors(
  { content, ids, report }: ParsedDocument,
  anchors: Map<string, string>,
): void {
  for (const [place, node] of content.nodes.entries()) {
    const id = ids[place] ?? '';
    for (const { uid, line } of anchorsOf(node)) {
      const earlier = anchors.get(uid);
      if (earlier === undefined) anchors.set(uid, id);
      else
        report('duplicate_anchor', 'error', line, `The anchor ${uid} is in ${earlier} too.`, id, [
          earlier,
        ]);
    }
  }
}
