// Reads scenarios from Gherkin (Cucumber's own parser): steps with those of the background, tags with
// the inherited ones, and the ids of items that tags and titles name.
import type { Background, Examples, Feature, Scenario, Step, Tag } from '@cucumber/messages';
import { type ParsedFeature, parseGherkin } from './gherkin-parser.ts';
import { tellUnread } from './gherkin-unread.ts';
import { looksLikeId } from './item-ids.ts';
import {
  namingKey,
  type SourceFile,
  type SourceReader,
  type SourceResult,
  type SourceScenario,
} from './model.ts';
import { idText, idWithin } from './openfasttrace-patterns.ts';
import { byPath, emptyResult, type FileNotes, notesOn, textOf } from './source-result.ts';

/** What all scenarios may hold together, in characters: a background is said in each of its scenarios. */
const MOST_CONTENT = 32 * 1024 * 1024;
/** What a scenario counts as beside its texts, and each of these beside its characters. */
const SCENARIO_CONTENT = 200;
const TEXT_CONTENT = 20;

/** Reads `.feature` files: their scenarios; what cannot be parsed is a finding with its line. */
export const readGherkin: SourceReader = (files) => {
  const result = emptyResult();
  const namingLines = new Map<string, number>();
  const reading: Reading = { result, keys: new Map(), left: MOST_CONTENT, namingLines };
  for (const file of byPath(files)) {
    const notes = notesOn(result, file.path);
    readFile(file, notes, reading);
    notes.finish();
  }
  return { ...result, namingLines };
};

interface Reading {
  result: SourceResult;
  keys: Map<string, number>;
  /** How much may still be kept. */
  left: number;
  namingLines: Map<string, number>;
}

interface Scope {
  feature: string;
  rule: string;
  tags: readonly string[];
  steps: SourceScenario['steps'];
}

function readFile(file: SourceFile, notes: FileNotes, reading: Reading): void {
  const { scenarios } = reading.result;
  const before = scenarios.length;
  // The parser knows no lines that end with a carriage return alone.
  const text = textOf(file, notes).replace(/\r\n?/g, '\n');
  const { features, faults } = parseGherkin(text);
  const [first] = faults;
  if (features.length === 0 && first) notes.fail(first.line, first.detail);
  else
    for (const { line, detail } of faults) {
      notes.lose('unparsed_source', line, detail, { severity: 'error' });
    }
  try {
    for (const parsed of features) readFeature(parsed, notes, reading);
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    const detail = 'The scenarios hold more than is kept, with the background in each of them.';
    notes.lose('too_much', error.line, detail, { severity: 'error' });
    return;
  }
  const isEmpty = faults.length === 0 && scenarios.length === before;
  if (isEmpty) tellEmptyFile(features, notes);
  tellUnread(features, text.split('\n'), notes, isEmpty);
}

function tellEmptyFile([first]: readonly ParsedFeature[], notes: FileNotes): void {
  const line = first ? first.before + first.feature.location.line : 1;
  if (first && first.feature.children.length > 0) {
    const detail = 'The feature has no scenario; its backgrounds and rules are left out.';
    notes.lose('empty_document', line, detail);
    return;
  }
  const detail = first ? 'The feature has no scenario.' : 'The file has no feature.';
  notes.note('empty_document', line, detail);
}

function readFeature({ feature, before }: ParsedFeature, notes: FileNotes, reading: Reading): void {
  const scope: Scope = {
    feature: fold(feature.name),
    rule: '',
    tags: names(feature.tags),
    steps: [],
  };
  nameTags(feature.tags, notes.path, before, reading);
  readChildren(feature.children, scope, { notes, reading, before });
}

/** Thrown where there is no room for what comes next. */
class TooMuch extends Error {
  readonly line: number;
  constructor(line: number) {
    super('too much');
    this.line = line;
  }
}

type Child = Feature['children'][number];

function readChildren(
  children: readonly Child[],
  outer: Scope,
  file: { notes: FileNotes; reading: Reading; before: number },
): void {
  const { notes, reading, before } = file;
  let scope = outer;
  for (const { background, rule, scenario } of children) {
    if (background) {
      scope = { ...scope, steps: [...scope.steps, ...stepsOf(background)] };
      take(reading, contentOf(scope), before + background.location.line);
    }
    if (scenario) {
      const place = { path: notes.path, line: before + scenario.location.line };
      const made = scenarioOf(scenario, scope, place, reading.keys);
      take(reading, contentOf(made), made.line);
      reading.result.scenarios.push(made);
      nameTags(scenario.tags, notes.path, before, reading);
      for (const { tags } of scenario.examples) nameTags(tags, notes.path, before, reading);
      nameIds(idsOfTexts(scenario), notes.path, made.line, reading);
    }
    if (rule) {
      const tags = [...new Set([...scope.tags, ...names(rule.tags)])];
      take(reading, contentOf({ tags }), before + rule.location.line);
      nameTags(rule.tags, notes.path, before, reading);
      readChildren(rule.children, { ...scope, rule: fold(rule.name), tags }, file);
    }
  }
}

/** Notes where tags name ids. */
function nameTags(tags: readonly Tag[], path: string, before: number, reading: Reading): void {
  for (const { name, location } of tags) {
    nameIds(idOfTag(name.replace(/^@/, '')), path, before + location.line, reading);
  }
}

function nameIds(ids: readonly string[], path: string, line: number, reading: Reading): void {
  const { namingLines } = reading;
  for (const id of ids) {
    const key = namingKey(path, id);
    if (line < (namingLines.get(key) ?? Number.POSITIVE_INFINITY)) namingLines.set(key, line);
  }
}

/** What scenarios hold, or have in common. */
interface Said {
  tags: readonly string[];
  steps?: readonly { text: string }[];
  examples?: readonly (readonly string[])[];
}

function contentOf({ tags, steps = [], examples = [] }: Said): number {
  let content = SCENARIO_CONTENT;
  for (const tag of tags) content += TEXT_CONTENT + tag.length;
  for (const { text } of steps) content += TEXT_CONTENT + text.length;
  for (const row of examples) {
    for (const cell of row) content += TEXT_CONTENT + cell.length;
  }
  return content;
}

/** @throws TooMuch where less than that is left */
function take(reading: Reading, content: number, line: number): void {
  reading.left -= content;
  if (reading.left < 0) throw new TooMuch(line);
}

function names(tags: readonly Tag[]): string[] {
  return [...new Set(tags.map(({ name }) => name.replace(/^@/, '')))];
}

function stepsOf({ steps }: Background | Scenario): SourceScenario['steps'] {
  return steps.map((step) => ({ keyword: step.keyword.trim(), text: stepText(step) }));
}

/** A step's text with its argument below it, since both say what is done. */
function stepText({ text, docString, dataTable }: Step): string {
  const parts = [text];
  if (docString) {
    const { delimiter, mediaType = '', content } = docString;
    parts.push(`${delimiter}${mediaType}`, content, delimiter);
  }
  for (const { cells } of dataTable?.rows ?? []) {
    parts.push(`| ${cells.map(({ value }) => escaped(value)).join(' | ')} |`);
  }
  return parts.join('\n');
}

function escaped(cell: string): string {
  return cell.replaceAll('\\', '\\\\').replaceAll('|', '\\|').replaceAll('\n', '\\n');
}

/** The tables of an outline one below the other; a heading that repeats is given once. */
function examplesOf(tables: readonly Examples[]): string[][] {
  const rows: string[][] = [];
  let heading = '';
  for (const { tableHeader, tableBody } of tables) {
    if (!tableHeader) continue;
    const cells = tableHeader.cells.map(({ value }) => value);
    const own = JSON.stringify(cells);
    if (own !== heading) rows.push(cells);
    heading = own;
    for (const row of tableBody) rows.push(row.cells.map(({ value }) => value));
  }
  return rows;
}

function scenarioOf(
  scenario: Scenario,
  { feature, rule, tags: inherited, steps }: Scope,
  place: Pick<SourceScenario, 'path' | 'line'>,
  keys: Map<string, number>,
): SourceScenario {
  const { description, examples } = scenario;
  const title = fold(scenario.name) || firstParagraph(description);
  const tags = [
    ...new Set([
      ...inherited,
      ...names([...scenario.tags, ...examples.flatMap((one) => one.tags)]),
    ]),
  ];
  const storyIds = [...new Set([...tags.flatMap(idOfTag), ...idsOfTexts(scenario)])];
  return {
    ...{ key: keyOf([feature, rule, title], keys), feature, title },
    ...{ steps: [...steps, ...stepsOf(scenario)], examples: examplesOf(examples), tags, storyIds },
    ...place,
  };
}

/**
 * A key that stays while the titles do, wherever the file is: feature, rule and scenario, and from
 * the second of the same titles on its number.
 */
function keyOf(titles: readonly string[], keys: Map<string, number>): string {
  const base = titles.filter((title, at) => title !== '' || at !== 1).join(' / ');
  let count = keys.get(base) ?? 0;
  let key = base;
  do {
    count++;
    key = count === 1 ? base : `${base} #${count}`;
  } while (count > 1 && keys.has(key));
  keys.set(base, count);
  if (key !== base) keys.set(key, 1);
  return key;
}

function fold(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** The first paragraph of a description: the title of a scenario that has none. */
function firstParagraph(description: string): string {
  return fold(description.trim().split(/\n[ \t]*(?:\r?\n|$)/, 1)[0] ?? '');
}

/** The id that a tag names: `US-12`, `TUT017`, `req~x~1`, or with a word before: `story:US-12`. */
function idOfTag(tag: string): string[] {
  const value = /^[A-Za-z][A-Za-z_-]*[:=](.+)$/.exec(tag)?.[1] ?? tag;
  const id = value.replace(/^[[("']|[\])"']$/g, '');
  return looksLikeId(id) || /^[A-Z]{2,}[0-9]{2,}$/.test(id) ? [id] : withoutRevision(id);
}

/** `REQ-14~2` names revision 2 of REQ-14. */
function withoutRevision(tag: string): string[] {
  const id = /^([^~]+)~[0-9]+$/.exec(tag)?.[1];
  return id !== undefined && looksLikeId(id) ? [id] : [];
}

/** The ids that the title and the description of a scenario name. */
function idsOfTexts({ name, description }: Scenario): string[] {
  return [...idsOfTitle(name), ...idsOfDescription(description)];
}

function idsOfTitle(title: string): string[] {
  const marked = [...title.matchAll(/\[([^[\]\s]{1,200})\]|(?:^|\s)@(\S+)/g)];
  const first = /^([^\s:]{1,200}):(?=\s)/.exec(title.trim())?.[1];
  const words = [...marked.map((match) => match[1] ?? match[2] ?? ''), first ?? ''];
  return words.filter(looksLikeId);
}

/** The coverage tags of OpenFastTrace in a description: `[utest->req~login~1]`. */
function idsOfDescription(description: string): string[] {
  const tags = description.matchAll(/\[\s*[A-Za-z]+(?:~[^\][>]{0,200})?\s*->\s*([^\][>]{1,300})/g);
  return [...tags].flatMap(([, target = '']) => {
    const id = idWithin(target);
    return id ? [idText(id)] : [];
  });
}
