// Writing scenarios: each by its key, added where the key is new, changed where it is known, all of a
// request or none.
import { and, eq, sql } from 'drizzle-orm';
import type { Actor } from '../../access/caller.ts';
import { Problem } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { scenarios } from '../../store/tables/quality.ts';
import { yieldToEventLoop } from '../scheduler.ts';
import { lined } from './gherkin.ts';
import type { PlacedScenario } from './input.ts';
import { type Scenario, scenarioFingerprint } from './model.ts';
import { routesOfTags, storedScenario } from './rows.ts';

export const OUTCOMES = ['created', 'updated', 'unchanged'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface Written {
  outcome: Outcome;
  scenario: Scenario;
}

interface Writing {
  projectId: string;
  inputs: readonly PlacedScenario[];
  /** Whether scenarios are only added: none may have a key already. */
  onlyNew: boolean;
  /** The scenarios of the sources, by their keys. */
  sourceOf(key: string): Scenario | undefined;
  actor: Actor;
  now: number;
}

const CONTENT = [
  ...['feature', 'title', 'steps', 'examples'],
  ...['storyIds', 'routes', 'tags', 'state'],
] as ('feature' | 'title' | 'steps' | 'examples' | 'storyIds' | 'routes' | 'tags' | 'state')[];
type Content = Pick<Scenario, (typeof CONTENT)[number]>;

/**
 * Writes scenarios inside the caller's write. One that says what a source says already is left as it is.
 *
 * @returns what became of each, in their order
 * @throws Problem `precondition_failed` where one is there that is to be new, `conflict` where a
 *   source has another scenario with one of the keys
 */
export async function writeScenarios(db: Db, writing: Writing): Promise<Written[]> {
  const { projectId, inputs, sourceOf } = writing;
  const known = await storedByKey(
    db,
    projectId,
    inputs.map(({ key }) => key),
  );
  if (writing.onlyNew) requireNew(inputs, (key) => known.has(key) || sourceOf(key) !== undefined);
  requireNoSource(inputs, sourceOf);
  const written: Written[] = [];
  let characters = 0;
  for (const input of inputs) {
    const source = sourceOf(input.key);
    characters += sizeOf(input);
    if (characters > MAX_CHARACTERS) {
      characters = 0;
      await yieldToEventLoop();
    }
    if (source) written.push({ outcome: 'unchanged', scenario: source });
    else written.push(await writeOne(db, writing, input, known.get(input.key)));
  }
  return written;
}

/** After how much a long write lets others run: some milliseconds. */
const MAX_CHARACTERS = 256 * 1024;
/** What the row of a scenario costs, however little it says. */
const ROW = 4096;

function sizeOf({ steps }: PlacedScenario): number {
  return steps.reduce((sum, { text }) => sum + text.length, ROW);
}

async function storedByKey(
  db: Db,
  projectId: string,
  keys: readonly string[],
): Promise<Map<string, Scenario>> {
  const rows = await db
    .select()
    .from(scenarios)
    .where(
      and(
        eq(scenarios.projectId, projectId),
        sql`${scenarios.key} in (select value from json_each(${JSON.stringify(keys)}))`,
      ),
    );
  return new Map(rows.map((row) => [row.key, storedScenario(row)]));
}

/** @throws Problem `precondition_failed` that names the first key of one that is there */
function requireNew(inputs: readonly PlacedScenario[], isThere: (key: string) => boolean): void {
  const known = inputs.find(({ key }) => isThere(key));
  if (known)
    throw new Problem('precondition_failed', `There is a scenario with the key ${known.key}.`);
}

/** @throws Problem `conflict` that names each key and where the sources have it */
function requireNoSource(
  inputs: readonly PlacedScenario[],
  sourceOf: (key: string) => Scenario | undefined,
): void {
  const errors = inputs.flatMap((input) => {
    const source = sourceOf(input.key);
    if (!source?.source || sameContent(source, contentOf(input, source))) return [];
    const place = `${source.source.path}:${source.source.line}`;
    const detail = `is the key of a scenario of the sources, at ${place}: it is changed there`;
    const pointer = input.line > 0 ? '' : `${input.pointer}/key`;
    return [
      { pointer, detail: lined(input.line, input.line > 0 ? `${input.key} ${detail}` : detail) },
    ];
  });
  const [first] = errors;
  if (!first) return;
  throw new Problem('conflict', `${first.pointer || 'The text'}: ${first.detail}`, {
    errors: errors.slice(0, 50),
  });
}

function contentOf(input: PlacedScenario, before: Content | undefined): Content {
  const tags = input.tags ?? before?.tags ?? [];
  return {
    feature: input.feature === undefined ? (before?.feature ?? null) : input.feature,
    title: input.title ?? before?.title ?? titleOf(input.key),
    steps: input.steps,
    examples: input.examples ?? before?.examples ?? [],
    storyIds: input.storyIds ?? before?.storyIds ?? [],
    routes: input.routes ?? routesWith(input.tags, before),
    tags,
    state: input.state ?? before?.state ?? 'active',
  };
}

/** The routes of a scenario that is given none: those of its tags, beside those that it was given otherwise. */
function routesWith(tags: readonly string[] | undefined, before: Content | undefined) {
  if (!before) return routesOfTags(tags ?? []);
  if (!tags) return before.routes;
  const declared = new Set(routesOfTags(before.tags));
  const others = before.routes.filter((route) => !declared.has(route));
  return [...new Set([...others, ...routesOfTags(tags)])];
}

const MAX_TITLE = 300;

function titleOf(key: string): string {
  return [...key].slice(0, MAX_TITLE).join('');
}

function sameContent(one: Content, other: Content): boolean {
  return CONTENT.every((name) => JSON.stringify(one[name]) === JSON.stringify(other[name]));
}

async function writeOne(
  db: Db,
  { projectId, actor, now }: Writing,
  input: PlacedScenario,
  before: Scenario | undefined,
): Promise<Written> {
  const content = contentOf(input, before);
  if (before && sameContent(before, content)) return { outcome: 'unchanged', scenario: before };
  const fingerprint = scenarioFingerprint(content);
  const columns = {
    feature: content.feature,
    title: content.title,
    state: content.state,
    fingerprint,
    steps: content.steps,
    examples: content.examples,
    storyIds: content.storyIds,
    routes: content.routes,
    tags: content.tags,
    updatedAt: now,
  };
  if (before) {
    const version = before.version + 1;
    await db
      .update(scenarios)
      .set({ ...columns, version })
      .where(eq(scenarios.id, before.id));
    const scenario = { ...before, ...content, fingerprint, version, updatedAt: now };
    return { outcome: 'updated', scenario };
  }
  const id = newId('scn');
  await db.insert(scenarios).values({
    id,
    projectId,
    key: input.key,
    ...columns,
    authorToken: actor.tokenId,
    authorLabel: actor.label,
    createdAt: now,
  });
  const scenario: Scenario = {
    id,
    key: input.key,
    ...content,
    origin: 'stored',
    source: null,
    fingerprint,
    author: actor,
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
  return { outcome: 'created', scenario };
}
