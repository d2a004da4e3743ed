// The grammars of a source set: which of them a document keeps to, its own or one that it imports,
// and what of each its documents use.
import { checkNode } from './strictdoc-check.ts';
import { DEFAULT_GRAMMAR, withBuiltIn } from './strictdoc-grammar.ts';
import { createGrammarUse, type GrammarUse } from './strictdoc-grammar-use.ts';
import { beside, type Inclusion } from './strictdoc-includes.ts';
import type { Grammar, GrammarElement, ParsedDocument, Report } from './strictdoc-model.ts';

/** A file that holds a grammar alone. */
export interface GrammarFile {
  grammar: Grammar;
  report: Report;
}

/** Finds the grammar that a file imports by a name, which is that of a file beside it. */
export function importedGrammar(
  path: string,
  name: string,
  files: ReadonlyMap<string, GrammarFile>,
): Grammar | undefined {
  return isElsewhere(name) ? undefined : files.get(beside(path, name))?.grammar;
}

function isElsewhere(name: string): boolean {
  return /[/\\]|\.\./.test(name);
}

/**
 * Holds the nodes of documents against their grammars, and reports what of these no node uses.
 *
 * @param documents - by their paths
 * @param around - what takes a document in, by its path; a fragment keeps to the grammar of that
 * @param files - the files that hold a grammar alone, by their paths
 */
export function checkGrammars(
  documents: ReadonlyMap<string, ParsedDocument>,
  around: ReadonlyMap<string, Inclusion>,
  files: ReadonlyMap<string, GrammarFile>,
): void {
  const uses = new Map<Grammar, GrammarUse>();
  const useOf = (grammar: Grammar) => {
    const use = uses.get(grammar) ?? createGrammarUse(grammar);
    uses.set(grammar, use);
    return use;
  };
  const wholes = wholesOf(documents, around);
  const kept = new Map([...new Set(wholes.values())].map((whole) => [whole, keptTo(whole, files)]));
  for (const [document, whole] of wholes) {
    const { grammar = null, elements = null } = kept.get(whole) ?? {};
    for (const [place, node] of document.content.nodes.entries()) {
      if (grammar !== null) useOf(grammar).look(node);
      if (elements !== null) checkNode(node, document.ids[place] ?? '', elements, document.report);
    }
  }
  for (const { content, report } of documents.values()) {
    if (content.grammar !== null) useOf(content.grammar).tell(report);
  }
  for (const { grammar, report } of files.values()) {
    useOf(grammar).tell(report);
    if (grammar.importedFrom === null) continue;
    const detail = `A file that holds a grammar imports no other: ${grammar.importedFrom.slice(0, 200)} is not read.`;
    report('grammar_not_found', 'warning', grammar.line, detail);
  }
}

/** By each document, what it is a part of as a fragment; of any other, itself. */
function wholesOf(
  documents: ReadonlyMap<string, ParsedDocument>,
  around: ReadonlyMap<string, Inclusion>,
): Map<ParsedDocument, ParsedDocument> {
  const wholes = new Map<ParsedDocument, ParsedDocument>();
  for (const document of documents.values()) {
    const parts: ParsedDocument[] = [];
    let whole = document;
    while (whole.content.isFragment && whole.content.grammar === null && !wholes.has(whole)) {
      const by = documents.get(around.get(whole.path)?.by ?? '');
      if (by === undefined) break;
      parts.push(whole);
      whole = by;
    }
    for (const part of [...parts, whole]) wholes.set(part, wholes.get(whole) ?? whole);
  }
  return wholes;
}

/** A grammar, and by their tags the nodes that it allows; none where nothing is held against it. */
interface KeptTo {
  grammar: Grammar | null;
  elements: ReadonlyMap<string, GrammarElement> | null;
}

function keptTo(
  { path, content, report }: ParsedDocument,
  files: ReadonlyMap<string, GrammarFile>,
): KeptTo {
  const { grammar, isFragment } = content;
  if (grammar === null) return { grammar, elements: isFragment ? null : DEFAULT_GRAMMAR };
  const { importedFrom, line } = grammar;
  if (importedFrom === null) return { grammar, elements: withBuiltIn(grammar) };
  const imported = importedGrammar(path, importedFrom, files);
  if (imported) return { grammar: imported, elements: withBuiltIn(imported) };
  const why = isElsewhere(importedFrom)
    ? 'is named by a path, where StrictDoc takes only the name of a file beside the document'
    : 'is not in the sources';
  const detail =
    importedFrom === ''
      ? 'IMPORT_FROM_FILE names no file: nothing is held against a grammar.'
      : `The grammar ${importedFrom.slice(0, 200)} ${why}: nothing is held against it.`;
  report('grammar_not_found', 'warning', line, detail);
  return { grammar: null, elements: null };
}
