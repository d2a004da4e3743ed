// Reads the needs.json of Sphinx-Needs: the needs of its current version, their places and their
// links, across all files.
import { type Loss, lossesOf, type Part, takeText } from '../account.ts';
import type { SourceFile, SourceItem, SourceReader } from '../model.ts';
import { createNesting } from '../nesting.ts';
import { byPath, emptyResult, type FileReport, inOrder, reportOn, textOf } from '../report.ts';
import { SourceFault } from '../tree/fault.ts';
import { parseJson } from '../tree/json.ts';
import { usableId } from '../usable-id.ts';
import { type FieldTypes, fieldsOf, memberOf, readFieldTypes } from './fields.ts';
import { type Need, type NeedsSet, openNeed, readNeed } from './item.ts';
import { placeNeeds } from './places.ts';

/** A file whose needs are known. */
interface NeedsFile {
  report: FileReport;
  /** Null where nothing could be read. */
  content: {
    top: Part;
    document: SourceItem;
    needs: readonly Need[];
    fieldTypes: FieldTypes;
  } | null;
}

/** Reads files of needs: of each a document, its pages and sections, and the needs in them. */
export const readNeedsJson: SourceReader = (files) => {
  const result = emptyResult();
  const set: NeedsSet = { result, needs: new Map(), links: new Set(), backLinks: [] };
  const nesting = createNesting();
  const open = byPath(files).map((file) => openFile(file, set));
  for (const { report, content } of open) {
    if (!content) continue;
    const { document, needs, fieldTypes } = content;
    result.items.push(document);
    const items = needs.map((need): [Need, SourceItem] => [
      need,
      readNeed(need, fieldTypes, set, report),
    ]);
    placeNeeds(items, document, set, nesting, report);
  }
  for (const { entry, link } of set.backLinks) if (set.links.has(link)) entry.kept = true;
  for (const { report, content } of open) {
    if (content) report.reportLosses(lossesOf(content.top).values(), isTrivial);
    report.finish();
  }
  return { ...result, items: inOrder(result.items) };
};

/** What Sphinx-Needs notes of its own work, its other versions, and what it says of fields. */
function isTrivial({ what }: Loss): boolean {
  return (
    /\/(?:created|creator|filters|filters_amount|needs_amount|needs_schema|lineno)$/.test(what) ||
    what.startsWith('versions/')
  );
}

function openFile(file: SourceFile, set: NeedsSet): NeedsFile {
  const report = reportOn(set.result, file.path);
  try {
    return { report, content: readVersion(textOf(file, report), set, report) };
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    report.fail(error.line, error.message);
    return { report, content: null };
  }
}

/** @throws SourceFault where the file has no current version, or this no needs */
function readVersion(
  text: string,
  set: NeedsSet,
  report: FileReport,
): NonNullable<NeedsFile['content']> {
  const { path } = report;
  const top = parseJson(text);
  const current = takeText(top, 'current_version');
  const versions = mapIn(top, 'versions', 'The file has no "versions" with needs.');
  if (current === undefined) throw new SourceFault(1, 'The file has no "current_version".');
  const version = mapIn(versions, current, `The file has no version ${current.slice(0, 100)}.`);
  const needs = mapIn(version, 'needs', 'The current version has no "needs".').parts;
  const fieldTypes = readFieldTypes(version, needs);
  const amount = memberOf(version, 'needs_amount');
  if (amount?.text === String(needs.length)) amount.kept = true;
  const project = memberOf(top, 'project');
  if (project?.kind === 'text') project.kept = true;
  const document: SourceItem = {
    id: usableId(path),
    kind: 'document',
    title: (project?.kept && project.text.trim()) || path.slice(path.lastIndexOf('/') + 1),
    statement: '',
    acceptance: [],
    rationale: null,
    status: null,
    priority: null,
    tags: [],
    attributes: current === '' ? {} : { version: current },
    path,
    line: 1,
    parentId: null,
    active: true,
  };
  const read = needs.flatMap((part) => {
    if (part.kind !== 'map') return [];
    const need = openNeed(part.name, part, fieldsOf(part, fieldTypes));
    part.kept = true;
    if (need.id !== part.name) {
      const detail = `The need ${need.id} stands under the name ${part.name}.`;
      report.report('invalid_value', part.line, detail, { itemId: need.id });
    }
    // What is lost of all needs alike is one loss.
    part.name = 'need';
    if (!set.needs.has(need.id)) set.needs.set(need.id, need);
    return [need];
  });
  return { top, document, needs: read, fieldTypes };
}

function mapIn(part: Part, name: string, missing: string): Part {
  const found = memberOf(part, name);
  if (found?.kind !== 'map') throw new SourceFault(found?.line ?? part.line, missing);
  found.kept = true;
  return found;
}
