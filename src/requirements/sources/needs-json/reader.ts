// Reads the needs.json of Sphinx-Needs: the needs of its current version, their places and their
// links, across all files.
import { type Loss, lossesOf, type Part, takeText } from '../account.ts';
import type { SourceItem, SourceReader } from '../model.ts';
import { createNesting } from '../nesting.ts';
import {
  byPath,
  documentItem,
  emptyResult,
  type FileReport,
  inOrder,
  readOrFail,
  reportOn,
  textOf,
} from '../report.ts';
import { SourceFault } from '../tree/fault.ts';
import { parseJson } from '../tree/json.ts';
import { type FieldTypes, fieldsOf, memberOf, readFieldTypes } from './fields.ts';
import { type Need, type NeedsSet, openNeed, readNeed } from './item.ts';
import { placeNeeds } from './places.ts';

interface NeedsFile {
  top: Part;
  document: SourceItem;
  needs: readonly Need[];
  fieldTypes: FieldTypes;
}

/** Reads files of needs: of each a document, its pages and sections, and the needs in them. */
export const readNeedsJson: SourceReader = (files) => {
  const result = emptyResult();
  const set: NeedsSet = { result, needs: new Map() };
  const nest = createNesting();
  const open = byPath(files).map((file) => {
    const report = reportOn(result, file.path);
    return {
      report,
      content: readOrFail(report, () => readVersion(textOf(file, report), set, report)),
    };
  });
  for (const { report, content } of open) {
    if (!content) continue;
    const { document, needs, fieldTypes } = content;
    result.items.push(document);
    const items = needs.map((need): [Need, SourceItem] => [
      need,
      readNeed(need, fieldTypes, set, report),
    ]);
    placeNeeds(items, document, set, nest, report);
  }
  for (const { report, content } of open) {
    if (content) report.reportLosses(lossesOf(content.top).values(), isTrivial);
    report.finish();
  }
  return { ...result, items: inOrder(result.items) };
};

function isTrivial({ what }: Loss): boolean {
  return (
    /\/(?:created|creator|filters|filters_amount|needs_amount|needs_schema|lineno)$/.test(what) ||
    /^versions\/|_back$/.test(what)
  );
}

/** @throws SourceFault where the file has no current version, or this no needs */
function readVersion(text: string, set: NeedsSet, report: FileReport): NeedsFile {
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
  const document = documentItem(report.path);
  if (project?.kept) document.title = project.text.trim() || document.title;
  if (current !== '') document.attributes.version = current;
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
