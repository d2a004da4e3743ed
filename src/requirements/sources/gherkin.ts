// Reads scenarios from Gherkin (Cucumber's own parser): steps with those of the background, tags with
// the inherited ones, and the ids of items that tags and titles name.
import type { Feature, Scenario, Tag } from '@cucumber/messages';
import { CoverageTags } from './gherkin-coverage.ts';
import { examplesOf } from './gherkin-examples.ts';
import type { GherkinFault, ToldFaults } from './gherkin-faults.ts';
import { idOfTag, idsOfTitle } from './gherkin-ids.ts';
import { ScenarioKeys } from './gherkin-keys.ts';
import { type ParsedFeature, type ParsedGherkin, parseGherkin } from './gherkin-parser.ts';
import {
  tellArguments,
  tellColumns,
  tellKey,
  tellLongIds,
  tellNoExamples,
  tellTags,
} from './gherkin-remarks.ts';
import { Room, TooMuch } from './gherkin-room.ts';
import { stepsOf } from './gherkin-steps.ts';
import { tellUnread } from './gherkin-unread.ts';
import {
  namingKey,
  type SourceFile,
  type SourceReader,
  type SourceResult,
  type SourceScenario,
} from './model.ts';
import { byPath, emptyResult, type FileNotes, notesOn, textOf } from './source-result.ts';

/** Reads `.feature` files: their scenarios; what cannot be parsed is a finding with its line. */
export const readGherkin: SourceReader = (files) => {
  const result = emptyResult();
  const namingLines = new Map<string, number>();
  const reading: Reading = { result, keys: new ScenarioKeys(), room: new Room(), namingLines };
  for (const file of byPath(files)) {
    const notes = notesOn(result, file.path);
    readFile(file, notes, reading);
    notes.finish();
  }
  return { ...result, namingLines };
};

interface Reading {
  result: SourceResult;
  keys: ScenarioKeys;
  /** What may still be kept. */
  room: Room;
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
  const parsed = parseGherkin(text);
  const { features, faults } = parsed;
  const lines = text.split('\n');
  const coverage = new CoverageTags(parsed, lines, notes);
  tellFaults(parsed, notes);
  try {
    for (const feature of features) readFeature(feature, coverage, notes, reading);
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    const leftOut = countScenarios(features) - (scenarios.length - before);
    notes.lose('too_much', error.line, error.detail(leftOut), { severity: 'error' });
    return;
  }
  const isWhole = faults.told.length === 0;
  if (isWhole && features.length === 0) {
    notes.note('empty_document', 1, 'The file has no feature.');
  }
  tellUnread(features, lines, notes, isWhole);
  coverage.finish();
}

function tellFaults({ features, faults, minor }: ParsedGherkin, notes: FileNotes): void {
  const [first] = faults.told;
  if (features.length === 0 && first) {
    notes.fail(first.line, first.detail);
    return;
  }
  tellEach(faults, ({ line, detail }) =>
    notes.lose('unparsed_source', line, detail, { severity: 'error' }),
  );
  tellEach(minor, ({ line, detail }) => notes.note('unparsed_source', line, detail));
}

function tellEach({ told, more }: ToldFaults, tell: (fault: GherkinFault) => void): void {
  for (const fault of told) tell(fault);
  // They are counted, and no more: so many others are told.
  for (let at = 0; at < more; at++) tell({ line: 0, detail: '' });
}

function countScenarios(features: readonly ParsedFeature[]): number {
  const own = (children: readonly Child[]): number =>
    children.reduce(
      (sum, { scenario, rule }) => sum + (scenario ? 1 : 0) + (rule ? own(rule.children) : 0),
      0,
    );
  return features.reduce((sum, { feature }) => sum + own(feature.children), 0);
}

function readFeature(
  { feature, before }: ParsedFeature,
  coverage: CoverageTags,
  notes: FileNotes,
  reading: Reading,
): void {
  const scope: Scope = {
    feature: fold(feature.name),
    rule: '',
    tags: names(feature.tags),
    steps: [],
  };
  nameTags(feature.tags, notes.path, before, reading);
  tellTags(feature.tags, before, notes);
  const { language } = feature;
  readChildren(feature.children, scope, { notes, reading, coverage, before, language });
}

interface ReadingOfFile {
  notes: FileNotes;
  reading: Reading;
  coverage: CoverageTags;
  /** How many lines of the file stand before those that the feature is counted from. */
  before: number;
  language: string;
}

type Child = Feature['children'][number];

function readChildren(children: readonly Child[], outer: Scope, file: ReadingOfFile): void {
  const { notes, reading, before } = file;
  let scope = outer;
  for (const { background, rule, scenario } of children) {
    if (background) {
      const line = before + background.location.line;
      scope = { ...scope, steps: [...scope.steps, ...stepsOf(background)] };
      reading.room.take(scope, scope, line);
      tellArguments(background.steps, before, notes);
    }
    if (scenario) readScenario(scenario, scope, file);
    if (rule) {
      const tags = [...new Set([...scope.tags, ...names(rule.tags)])];
      const own = { ...scope, rule: fold(rule.name), tags };
      reading.room.take({ tags }, own, before + rule.location.line);
      nameTags(rule.tags, notes.path, before, reading);
      tellTags(rule.tags, before, notes);
      readChildren(rule.children, own, file);
    }
  }
}

function readScenario(
  scenario: Scenario,
  scope: Scope,
  { notes, reading, coverage, before, language }: ReadingOfFile,
): void {
  const { path } = notes;
  const line = before + scenario.location.line;
  const { feature, rule, steps } = scope;
  const title = fold(scenario.name) || firstParagraph(scenario.description);
  const given = reading.keys.give([feature, rule, title], { path, line });
  const { rows, changes } = examplesOf(scenario.examples);
  const own = [...scenario.tags, ...scenario.examples.flatMap((one) => one.tags)];
  const tags = [...new Set([...scope.tags, ...names(own)])];
  const named = idsOfTitle(scenario.name);
  const covering = coverage.of(scenario, before);
  const covered = covering.flatMap(({ tag }) => tag.ids);
  const made: SourceScenario = {
    ...{ key: given.key, feature, title },
    ...{ steps: [...steps, ...stepsOf(scenario)], examples: rows, tags },
    storyIds: [...new Set([...tags.flatMap(idOfTag), ...named, ...covered])],
    ...{ path, line },
  };
  reading.room.take(made, scope, line);
  reading.result.scenarios.push(made);
  nameTags(own, path, before, reading);
  nameIds(named, path, line, reading);
  for (const { tag, line: at } of covering) nameIds(tag.ids, path, at, reading);
  tellTags(own, before, notes);
  tellLongIds(title, line, notes);
  tellNoExamples(scenario, language, line, notes);
  tellKey(given, line, notes);
  tellArguments(scenario.steps, before, notes);
  tellColumns(
    changes.map((at) => before + at),
    notes,
  );
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

function names(tags: readonly Tag[]): string[] {
  return [...new Set(tags.map(({ name }) => name.replace(/^@/, '')))];
}

function fold(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** The first paragraph of a description: the title of a scenario that has none. */
function firstParagraph(description: string): string {
  return fold(description.trim().split(/\n[ \t]*(?:\r?\n|$)/, 1)[0] ?? '');
}
