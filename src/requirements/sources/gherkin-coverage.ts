// Which scenarios the coverage tags of a Gherkin file are of: those in its description and those in
// comments right above it or its tags, as OpenFastTrace reads them. The others are told.
import type { Background, Examples, Feature, Rule, Scenario, Tag } from '@cucumber/messages';
import { type CoverageTag, coverageTagsIn } from './gherkin-coverage-tags.ts';
import { linesOf } from './gherkin-descriptions.ts';
import type { ParsedGherkin } from './gherkin-parser.ts';
import { unreadTags } from './openfasttrace-coverage-tags.ts';
import type { FileNotes } from './source-result.ts';

/** A coverage tag with its line in the file. */
export interface PlacedTag {
  tag: CoverageTag;
  line: number;
}

/** Something that tags and other texts stand above or in. */
type Scope = Pick<Feature | Rule, 'children' | 'tags' | 'name' | 'description' | 'location'>;

type Described = Pick<Feature | Rule | Background | Examples, 'description' | 'location'>;

/** The coverage tags of a file. */
export class CoverageTags {
  readonly #parsed: ParsedGherkin;
  readonly #lines: readonly string[];
  readonly #notes: FileNotes;
  /** Those in comments that belong to no scenario yet, by their lines. */
  readonly #inComments: Map<number, CoverageTag[]>;
  /** Lines with tags that say more than what they cover. */
  readonly #sayingMore: number[] = [];

  /** @param lines - those of the file */
  constructor(parsed: ParsedGherkin, lines: readonly string[], notes: FileNotes) {
    this.#parsed = parsed;
    this.#lines = lines;
    this.#notes = notes;
    this.#inComments = tagsInComments(parsed, lines);
  }

  /**
   * The tags of a scenario, each of which is read once; what is not understood of them is told.
   *
   * @param before - how many lines of the file stand before those that it is counted from
   */
  of({ location, description }: Scenario, before: number): PlacedTag[] {
    const line = before + location.line;
    const found = [...this.#above(line), ...this.#within(description, line)];
    for (const { tag, line: at } of found) {
      if (tag.fault !== null) this.#notes.note('invalid_reference', at, tag.fault);
      if (tag.saysMore && tag.ids.length > 0) this.#sayingMore.push(at);
    }
    return found;
  }

  /** Tells of those that are of no scenario. */
  finish(): void {
    for (const [line, tags] of this.#inComments) {
      this.#tell(line, 'in comments are read right above a scenario alone', tags);
    }
    if (this.#lines.some((line) => line.includes('->'))) {
      for (const { feature, before } of this.#parsed.features) this.#tellTexts(feature, before);
    }
    const [first] = this.#sayingMore;
    if (first === undefined) return;
    const count = this.#sayingMore.length;
    const times = count === 1 ? '' : ` (${count} tags)`;
    const detail = `Of a coverage tag what it covers is kept, and neither its own name and revision nor what it needs${times}.`;
    this.#notes.note('text_ignored', first, detail);
  }

  #above(line: number): PlacedTag[] {
    const found: PlacedTag[] = [];
    if (this.#inComments.size === 0) return found;
    for (let at = line - 1; /^\s*[#@]/.test(this.#lines[at - 1] ?? ''); at--) {
      const tags = this.#inComments.get(at) ?? [];
      this.#inComments.delete(at);
      found.unshift(...tags.map((tag) => ({ tag, line: at })));
    }
    return found;
  }

  #within(description: string, title: number): PlacedTag[] {
    if (!description.includes('->')) return [];
    const places = linesOf(description, this.#lines, title);
    return description
      .split('\n')
      .flatMap((text, at) =>
        coverageTagsIn(text).map((tag) => ({ tag, line: places[at] ?? title })),
      );
  }

  /** Tells of tags in names, in steps and in the descriptions of what is no scenario. */
  #tellTexts(scope: Scope, before: number): void {
    const { name, location, children } = scope;
    const tell = (text: string, line: number) => {
      const tags = coverageTagsIn(text).filter(({ ids }) => ids.length > 0);
      if (tags.length > 0) this.#tell(before + line, 'in names and in steps are text', tags);
    };
    tell(name, location.line);
    this.#tellDescription(scope, before);
    for (const child of children) {
      const { background, scenario } = child;
      if (background) this.#tellDescription(background, before);
      for (const examples of scenario?.examples ?? []) this.#tellDescription(examples, before);
      if (scenario) tell(scenario.name, scenario.location.line);
      for (const step of (background ?? scenario)?.steps ?? []) tell(step.text, step.location.line);
      if ('rule' in child && child.rule) this.#tellTexts(child.rule, before);
    }
  }

  #tellDescription({ description, location }: Described, before: number): void {
    const found = this.#within(description, before + location.line);
    for (const [line, tags] of Map.groupBy(found, (one) => one.line)) {
      const why = 'are read in the description of a scenario alone';
      this.#tell(
        line,
        why,
        tags.map(({ tag }) => tag),
      );
    }
  }

  #tell(line: number, why: string, tags: readonly CoverageTag[]): void {
    const detail = unreadTags(
      why,
      tags.map(({ text }) => text),
    );
    this.#notes.note('text_ignored', line, detail);
  }
}

/** The tags in comments, on lines of their own or behind tags, by their lines. */
function tagsInComments(
  { features, comments }: ParsedGherkin,
  lines: readonly string[],
): Map<number, CoverageTag[]> {
  const found = new Map<number, CoverageTag[]>();
  const add = (line: number, text: string) => {
    const tags = coverageTagsIn(text);
    if (tags.length > 0) found.set(line, tags);
  };
  for (const { comments: own, before } of comments) {
    for (const { location, text } of own) add(before + location.line, text);
  }
  for (const { feature, before } of features) {
    const tagged = new Set([...tagsIn(feature)].map(({ location }) => before + location.line));
    for (const line of tagged) add(line, /\s#(.*)$/.exec(lines[line - 1] ?? '')?.[1] ?? '');
  }
  return found;
}

function* tagsIn({ tags, children }: Pick<Scope, 'tags' | 'children'>): Generator<Tag> {
  yield* tags;
  for (const child of children) {
    yield* child.scenario?.tags ?? [];
    for (const examples of child.scenario?.examples ?? []) yield* examples.tags;
    if ('rule' in child && child.rule) yield* tagsIn(child.rule);
  }
}
