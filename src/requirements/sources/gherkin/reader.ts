// Reads scenarios from Gherkin: steps with those of the background, tags with the inherited ones, and
// the ids of items that tags, titles and coverage tags of OpenFastTrace name.
import { dialects } from '@cucumber/gherkin';
import type { Background, Examples, Feature, Scenario, Step, Tag } from '@cucumber/messages';
import { Lines } from '../account.ts';
import type { SourceReader, SourceScenario } from '../model.ts';
import { byPath, emptyResult, type FileReport, reportOn, textOf } from '../report.ts';
import { coveredIn, idOfTag, idsOfTitle } from './ids.ts';
import { parseGherkin } from './parse.ts';

const MAX_CONTENT = 32 * 1024 * 1024;

/** Reads `.feature` files: their scenarios; a file that Cucumber refuses is `failed`. */
export const readGherkin: SourceReader = (files) => {
  const result = emptyResult();
  const keys = new Map<string, number>();
  let content = 0;
  for (const file of byPath(files)) {
    const report = reportOn(result, file.path);
    // The parser knows no lines that end with a carriage return alone.
    const text = textOf(file, report).replace(/\r\n?/g, '\n');
    const parsed = parseGherkin(text);
    if (Array.isArray(parsed)) {
      // The end of a file is a line behind its last for the parser.
      const last = text.split('\n').length;
      for (const { line, message } of parsed) report.fail(Math.min(line, last), message);
    } else if (!parsed.feature) {
      report.report('empty_document', 1, 'The file has no feature.');
    } else {
      const reading = new FeatureReader(report, new Lines(text), keys);
      reading.read(parsed.feature, MAX_CONTENT - content);
      content += reading.content;
      result.scenarios.push(...reading.scenarios);
    }
    report.finish();
  }
  return result;
};

interface Scope {
  feature: string;
  rule: string;
  tags: readonly string[];
  steps: SourceScenario['steps'];
}

type Child = Feature['children'][number];

class FeatureReader {
  readonly scenarios: SourceScenario[] = [];
  content = 0;
  private readonly report: FileReport;
  private readonly lines: Lines;
  /** How often each key was given, in all files. */
  private readonly keys: Map<string, number>;
  private maxContent = 0;

  constructor(report: FileReport, lines: Lines, keys: Map<string, number>) {
    this.report = report;
    this.lines = lines;
    this.keys = keys;
  }

  read(feature: Feature, maxContent: number): void {
    this.maxContent = maxContent;
    for (const [at, line] of this.lines.all.entries())
      if (line.trimStart().startsWith('#')) this.lines.take(at + 1);
    const tags = this.namesOf(feature.tags);
    this.lines.take(feature.location.line);
    this.readChildren(feature.children, { feature: fold(feature.name), rule: '', tags, steps: [] });
    const keyword = keywordLine(feature.language);
    this.report.reportLosses(this.lines.left(), ({ line, times }) =>
      // Prose of descriptions; what begins like a part of a feature was meant to be one.
      this.lines.all.slice(line - 1, line - 1 + times).every((one) => !keyword.test(one)),
    );
  }

  private readChildren(children: readonly Child[], outer: Scope): void {
    let scope = outer;
    for (const { background, rule, scenario } of children) {
      if (background) {
        this.lines.take(background.location.line);
        scope = { ...scope, steps: [...scope.steps, ...this.stepsOf(background)] };
        if (!this.fits(scope, background.location.line)) return;
      }
      if (scenario && !this.readScenario(scenario, scope)) return;
      if (rule) {
        this.lines.take(rule.location.line);
        const tags = [...new Set([...scope.tags, ...this.namesOf(rule.tags)])];
        this.readChildren(rule.children, { ...scope, rule: fold(rule.name), tags });
      }
    }
  }

  private readScenario(scenario: Scenario, scope: Scope): boolean {
    const { line } = scenario.location;
    this.lines.take(line);
    const title = fold(scenario.name) || this.titleBelow(scenario);
    const own = [...scenario.tags, ...scenario.examples.flatMap((one) => one.tags)];
    const tags = [...new Set([...scope.tags, ...this.namesOf(own)])];
    for (const examples of scenario.examples) this.takeExamples(examples);
    const named = [...idsOfTitle(scenario.name), ...this.coveredBy(scenario)];
    const made: SourceScenario = {
      key: this.keyOf([scope.feature, scope.rule, title], line),
      feature: scope.feature,
      title,
      steps: [...scope.steps, ...this.stepsOf(scenario)],
      examples: examplesOf(scenario.examples),
      tags,
      storyIds: [...new Set([...tags.flatMap(idOfTag), ...named])],
      path: this.report.path,
      line,
    };
    if (!this.fits(made, line)) return false;
    this.scenarios.push(made);
    return true;
  }

  /** A scenario without a name is called as its description begins. */
  private titleBelow({ description, location }: Scenario): string {
    const [first = ''] = description.trim().split(/\n[ \t]*(?:\n|$)/, 1);
    let line = location.line + 1;
    while (first !== '' && (this.lines.all[line - 1] ?? '').trim() === '') line += 1;
    if (first !== '') this.lines.take(line, line + first.split('\n').length - 1);
    return fold(first);
  }

  private stepsOf({ steps }: Background | Scenario): SourceScenario['steps'] {
    return steps.map((step) => {
      this.takeStep(step);
      return { keyword: step.keyword.trim(), text: stepText(step) };
    });
  }

  private takeStep({ location, docString, dataTable }: Step): void {
    this.lines.take(location.line);
    for (const row of dataTable?.rows ?? []) this.takeRow(row.location.line);
    if (!docString) return;
    const { all } = this.lines;
    const { content, delimiter } = docString;
    const { line } = docString.location;
    let end = line + (content === '' ? 1 : content.split('\n').length + 1);
    while (end < all.length && !all[end - 1]?.trimStart().startsWith(delimiter)) end++;
    this.lines.take(line, end - 1);
    // The parser drops what stands behind the mark.
    if (all[end - 1]?.trim() === delimiter) this.lines.take(end);
  }

  /** The parser drops what stands behind the last mark of a row. */
  private takeRow(line: number): void {
    if (/(?:^|[^\\])(?:\\\\)*\|\s*$/.test(this.lines.all[line - 1] ?? '')) this.lines.take(line);
  }

  private takeExamples({ location, name, tableHeader, tableBody }: Examples): void {
    // A name is kept nowhere.
    if (name === '') this.lines.take(location.line);
    for (const row of [...(tableHeader ? [tableHeader] : []), ...tableBody])
      this.takeRow(row.location.line);
  }

  /** What is covered by tags in its description, and in comments right above it or its tags. */
  private coveredBy({ description, location }: Scenario): string[] {
    const above: string[] = [];
    for (let at = location.line - 1; /^\s*[#@]/.test(this.lines.all[at - 1] ?? ''); at--)
      above.unshift(...coveredIn(/#.*$/.exec(this.lines.all[at - 1] ?? '')?.[0] ?? ''));
    for (const [at, line] of description.split('\n').entries())
      if (coveredIn(line).length > 0) this.takeDescribed(line, location.line + at + 1);
    return [...above, ...coveredIn(description)];
  }

  /** Comments may stand between the lines of a description. */
  private takeDescribed(text: string, from: number): void {
    const at = this.lines.all.findIndex(
      (line, at) => at >= from - 1 && line.trim() === text.trim(),
    );
    if (at >= 0) this.lines.take(at + 1);
  }

  private namesOf(tags: readonly Tag[]): string[] {
    for (const { location } of tags) this.lines.take(location.line);
    return [...new Set(tags.map(({ name }) => name.slice(1)))];
  }

  /** Feature, rule and scenario, and from the second of the same titles on its number. */
  private keyOf(titles: readonly string[], line: number): string {
    const base = titles.filter((title, at) => title !== '' || at !== 1).join(' / ');
    let count = (this.keys.get(base) ?? 0) + 1;
    let key = count === 1 ? base : `${base} #${count}`;
    while (count > 1 && this.keys.has(key)) key = `${base} #${++count}`;
    this.keys.set(base, count);
    if (count === 1) return key;
    this.keys.set(key, 1);
    const detail = `The titles ${JSON.stringify(base)} are those of another scenario: its key is ${JSON.stringify(key)}.`;
    this.report.report('duplicate_entry', line, detail);
    return key;
  }

  /** Counts what a scenario or a background holds; false, once reported, where that is too much. */
  private fits(
    { tags, steps, examples = [] }: Pick<Scope, 'tags' | 'steps'> & { examples?: string[][] },
    line: number,
  ): boolean {
    let content = 200;
    for (const text of [...tags, ...steps.map(({ text }) => text), ...examples.flat()])
      content += 20 + text.length;
    const fitted = this.content <= this.maxContent;
    this.content += content;
    const fits = this.content <= this.maxContent;
    const detail = 'The scenarios hold more than is read together: from here on they are left out.';
    if (fitted && !fits) this.report.report('limit_exceeded', line, detail);
    return fits;
  }
}

function stepText({ text, docString, dataTable }: Step): string {
  const parts = [text];
  if (docString) {
    const { delimiter, mediaType = '', content } = docString;
    parts.push(`${delimiter}${mediaType}`, content, delimiter);
  }
  for (const { cells } of dataTable?.rows ?? [])
    parts.push(`| ${cells.map(({ value }) => escaped(value)).join(' | ')} |`);
  return parts.join('\n');
}

function escaped(cell: string): string {
  return cell.replaceAll('\\', '\\\\').replaceAll('|', '\\|').replaceAll('\n', '\\n');
}

function keywordLine(language: string): RegExp {
  const dialect = dialects[language] as (typeof dialects)[string];
  const { feature, background, rule, scenario, scenarioOutline } = dialect;
  const titled = [feature, background, rule, scenario, scenarioOutline].flat();
  const steps = [dialect.given, dialect.when, dialect.then, dialect.and, dialect.but].flat();
  const words = [...titled.map((word) => `${word}:`), ...steps.filter((word) => word !== '* ')];
  const escapedWords = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^\\s*(?:@|\\||"""|${escapedWords.join('|')})`);
}

function fold(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/**
 * The tables one below the other, the heading first. A table with the columns in another order is
 * given in that of the one before it; one with other columns stands below an empty row, with its
 * heading.
 */
function examplesOf(tables: readonly Examples[]): string[][] {
  const rows: string[][] = [];
  let heading: string[] | undefined;
  for (const { tableHeader, tableBody } of tables) {
    if (!tableHeader) continue;
    const own = tableHeader.cells.map(({ value }) => value);
    let order = heading && orderOf(own, heading);
    if (!order) {
      if (heading) rows.push([]);
      heading = own;
      rows.push(own);
      order = own.map((_, at) => at);
    }
    for (const { cells } of tableBody) rows.push(order.map((at) => cells[at]?.value ?? ''));
  }
  return rows;
}

function orderOf(own: readonly string[], wanted: readonly string[]): number[] | undefined {
  if (own.every((name, at) => name === wanted[at]) && own.length === wanted.length)
    return own.map((_, at) => at);
  const places = new Map(own.map((name, at) => [name, at]));
  if (places.size !== own.length || own.length !== wanted.length) return undefined;
  const order = wanted.flatMap((name) => places.get(name) ?? []);
  return new Set(order).size === own.length ? order : undefined;
}
