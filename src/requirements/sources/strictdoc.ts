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
import { boundedFindings } from './source-result.ts';
import { checkGrammars, type GrammarFile, importedGrammar } from './strictdoc-grammars.ts';
import { beside, includedIn } from './strictdoc-includes.ts';
import {
  documentItem,
  GeneratedIds,
  isNormativeNode,
  nodeItem,
  ownId,
  titleOf,
} from './strictdoc-items.ts';
import { anchorsOf, inlineLinks, isUid, relationLinks } from './strictdoc-links.ts';
import {
  fieldOf,
  type Grammar,
  type ParsedDocument,
  type Report,
  type SdocContent,
} from './strictdoc-model.ts';
import { parseSdoc } from './strictdoc-parser.ts';
import { checkAnyNode, checkDocument, checkMids } from './strictdoc-rules.ts';
import { DAMAGED, decodeSource } from './text.ts';
import { idFault } from './usable-id.ts';

/** Reads the documents of StrictDoc and holds them against their grammars. */
export const readStrictdoc: SourceReader = (files, others = []) => {
  const findings: SourceFinding[] = [];
  const statuses = new Map<string, SourceStatus>();
  const grammars = new Map<string, GrammarFile>();
  const documents = new Map<string, ParsedDocument>();
  const read = (file: SourceFile) => {
    if (statuses.has(file.path)) return;
    const report = reporter(file.path, findings, statuses);
    statuses.set(file.path, 'parsed');
    const content = contentOf(file, grammars, report);
    if (content === null) statuses.set(file.path, 'failed');
    else if (isGrammar(content)) grammars.set(file.path, { grammar: content.grammar, report });
    else documents.set(file.path, identified(file.path, content, report));
  };
  // Which blocks are nodes a grammar may say, which is read before the documents for that.
  for (const file of files) if (beginsWith('GRAMMAR', file)) read(file);
  for (const file of files) read(file);
  const otherFiles = new Map(others.map((file) => [file.path, file]));
  for (const { path, content } of documents.values()) {
    for (const { file } of content.includes) {
      const part = otherFiles.get(beside(path, file));
      if (part !== undefined) read(part);
    }
  }

  const sorted = byPath([...documents.values()]);
  const around = includedIn(sorted);
  for (const document of sorted) check(document);
  checkGrammars(new Map(sorted.map((one) => [one.path, one])), around, grammars);
  checkMids(sorted.flatMap(blocksOf));
  const anchors = anchorsIn(sorted);
  const items: SourceItem[] = [];
  const links: SourceLink[] = [];
  for (const { path, id, content, ids } of sorted) {
    const parentId = around.get(path)?.parentId ?? null;
    items.push({ ...documentItem(path, id, content), parentId });
    for (const [place, node] of content.nodes.entries()) {
      const nodeId = ids[place] ?? id;
      const above = node.parent === null ? id : (ids[node.parent] ?? id);
      const item = nodeItem(node, nodeId, path, above);
      items.push(item);
      links.push(...relationLinks(node, item), ...inlineLinks(node, item, anchors));
    }
  }
  findings.sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
  return {
    ...{ items, links, scenarios: [], routes: [], statuses },
    findings: boundedFindings(findings),
  };
};

function byPath<T extends { path: string }>(all: readonly T[]): T[] {
  return [...all].sort((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)));
}

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

/** The names of the blocks with which files begin. */
type Head = 'DOCUMENT' | 'FRAGMENT' | 'GRAMMAR';

const HEAD = /^\s*\[(DOCUMENT|FRAGMENT|GRAMMAR)\][^\S\n]*(?:\n|$)/;

function headOf(text: string): Head | undefined {
  return HEAD.exec(text)?.[1] as Head | undefined;
}

function beginsWith(head: Head, { bytes }: SourceFile): boolean {
  return headOf(decodeSource(bytes).text.replace(/\r\n?/g, '\n')) === head;
}

function contentOf(
  { path, bytes }: SourceFile,
  grammars: ReadonlyMap<string, GrammarFile>,
  report: Report,
): SdocContent | null {
  const { text: decoded, damagedLine } = decodeSource(bytes);
  const text = decoded.replace(/\r\n?/g, '\n');
  if (headOf(text) === undefined) {
    const [line = ''] = text.trimStart().split('\n', 1);
    const begin = line === '' ? 'is empty' : `begins with "${line.slice(0, 60)}"`;
    const detail = `The file ${begin}, and not with [DOCUMENT], [GRAMMAR] or [FRAGMENT]: nothing of it is read.`;
    report('unparsed_source', 'error', 1, detail);
    return null;
  }
  if (damagedLine !== null) report('invalid_encoding', 'warning', damagedLine, DAMAGED);
  return parseSdoc(text, report, (name) => importedGrammar(path, name, grammars));
}

/** Whether it is of a file that holds a grammar and no document, which others import. */
function isGrammar(content: SdocContent): content is SdocContent & { grammar: Grammar } {
  const { fields, nodes, includes, grammar, isFragment } = content;
  const isEmpty = fields.length === 0 && nodes.length === 0 && includes.length === 0;
  return grammar !== null && !isFragment && isEmpty;
}

function identified(path: string, content: SdocContent, report: Report): ParsedDocument {
  const id = ownId(content) ?? path;
  const told = (uid: string, line: number, of: string) =>
    report(
      'invalid_id',
      'error',
      line,
      isUid(uid)
        ? `A UID ${idFault(uid) ?? 'cannot be used'}: ${shortened(uid)} is not kept.`
        : `The UID ${shortened(uid)} is not as StrictDoc writes them.`,
      of,
    );
  const own = fieldOf(content, 'UID');
  if (own && !isUsable(own)) {
    const line = content.fields.find(({ name }) => name === 'UID')?.line ?? 1;
    told(own, line, id);
  }
  const generated = new GeneratedIds();
  const ids = content.nodes.map((node) => {
    const uid = fieldOf(node, 'UID');
    const nodeId = ownId(node) ?? generated.idOf(path, titleOf(node) || node.tag);
    if (uid && !isUsable(uid)) told(uid, node.line, nodeId);
    else if (!uid && isNormativeNode(node)) {
      report(
        'missing_id',
        'info',
        node.line,
        `The ${node.tag} has no UID: its id is ${ownId(node) === null ? 'made of path and title' : 'its MID'}.`,
        nodeId,
      );
    }
    return nodeId;
  });
  return { path, id, content, ids, report };
}

/** Whether a UID is one to StrictDoc, and can be the id of an item. */
function isUsable(uid: string): boolean {
  return isUid(uid) && idFault(uid) === undefined;
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

function check({ id: documentId, content, ids, report }: ParsedDocument): void {
  checkDocument(content, documentId, report);
  for (const [place, node] of content.nodes.entries()) {
    checkAnyNode(node, ids[place] ?? '', report);
  }
}

/**
 * Finds the items in which anchors stand, by the names of these. A name that is the id of a document or
 * a node is that one's, and of two anchors with one name the first has it.
 */
function anchorsIn(documents: readonly ParsedDocument[]): Map<string, string> {
  const owners = new Set(
    documents.flatMap((one) => blocksOf(one).flatMap((block) => ownId(block) ?? [])),
  );
  const anchors = new Map<string, string>();
  for (const { content, ids, report } of documents) {
    for (const [place, node] of content.nodes.entries()) {
      const id = ids[place] ?? '';
      const twice = (line: number, detail: string, other: string) =>
        report('duplicate_anchor', 'error', line, detail, id, [other]);
      for (const { uid, line } of anchorsOf(node)) {
        const shown = uid.slice(0, 80);
        const earlier = anchors.get(uid);
        if (owners.has(uid)) {
          const detail = `The anchor ${shown} in ${id} has the name of the item ${shown}: links to it are to the item.`;
          twice(line, detail, uid);
        } else if (earlier === undefined) anchors.set(uid, id);
        else twice(line, `The anchor ${shown} is in ${earlier} too.`, earlier);
      }
    }
  }
  return anchors;
}

function shortened(uid: string): string {
  return uid.length > 80 ? `${uid.slice(0, 80)}…` : uid;
}
