// Writing scenarios: each by its key, added where the key is new, changed where it is known, all of a
// request or none.

import { isUtf8 } from 'node:buffer';
import { eq, sql } from 'drizzle-orm';
import type { Actor } from '../../access/caller.ts';
import { type FieldError, invalid, Problem } from '../../errors.ts';
import { compileCheck, ERRORS_SHOWN } from '../../model/validate.ts';
import type { Finding } from '../../requirements/audit/findings.ts';
import type { Catalog } from '../../requirements/import/read-sources.ts';
import { yieldToEventLoop } from '../../runtime/scheduler.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { scenarios } from '../../store/tables/quality.ts';
import { declaredText } from '../routes/route-text.ts';
import {
  type GherkinFinding,
  MAX_SCENARIOS,
  type Scenario,
  ScenarioBody,
  type ScenarioInput,
  type ScenariosWritten,
  scenarioFingerprint,
} from './model.ts';
import { routesOfTags, sourceContent, storedScenario } from './scenarios.ts';

export interface ScenariosSent {
  inputs: readonly ScenarioInput[];
  isList: boolean;
  /** What a Gherkin text says that none of them holds, or not as it may seem. */
  findings: GherkinFinding[];
}

/** @throws Problem `invalid` for none, or for two of one key */
export function tidyScenarios(given: readonly ScenarioInput[]): ScenarioInput[] {
  if (given.length === 0) throw invalid('', 'must hold at least one scenario');
  const keys = new Set<string>();
  return given.map(({ steps, tags, routes, storyIds, ...input }, at) => {
    if (keys.has(input.key)) throw invalid(`/${at}/key`, 'is given twice');
    keys.add(input.key);
    return {
      ...input,
      // In one order of the fields, by which two are compared.
      steps: steps.map(({ keyword, text }) => ({ keyword, text })),
      ...(tags && { tags: unique(tags.map((tag) => tag.replace(/^@(?=.)/, ''))) }),
      ...(routes && { routes: unique(routes.map(declaredText)) }),
      ...(storyIds && { storyIds: unique(storyIds) }),
    };
  });
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

const BATCH_SIZE = 100;

/** What a source says already stays as it is. @throws Problem `conflict` for another of its keys */
export async function writeScenarios(
  db: Db,
  { projectId, actor, now }: { projectId: string; actor: Actor; now: number },
  sent: ScenariosSent,
  sources: ReadonlyMap<string, Scenario>,
): Promise<ScenariosWritten['items']> {
  const { inputs, isList } = sent;
  const keys = JSON.stringify(inputs.map(({ key }) => key));
  const known = await db
    .select()
    .from(scenarios)
    .where(sql`project_id = ${projectId} and key in (select value from json_each(${keys}))`);
  const stored = new Map(known.map((row) => [row.key, row]));
  const written: ScenariosWritten['items'] = [];
  const added: (typeof scenarios.$inferInsert)[] = [];
  const errors: FieldError[] = [];
  for (const [at, input] of inputs.entries()) {
    const row = stored.get(input.key);
    const source = sources.get(input.key);
    const before = source ?? (row && storedScenario(row));
    const content = contentOf(input, before);
    if (before && sameContent(before, content)) {
      written.push({ outcome: 'unchanged', scenario: before });
      continue;
    }
    if (source) {
      const place = `${source.source?.path}:${source.source?.line}`;
      const detail = `${input.key} is a scenario of the sources, at ${place}: it is changed there`;
      errors.push({ pointer: isList ? `/${at}/key` : '/key', detail });
    }
    const columns = { ...content, fingerprint: scenarioFingerprint(content), updatedAt: now };
    if (row) {
      const changed = { ...row, ...columns, version: row.version + 1 };
      await db.update(scenarios).set(changed).where(eq(scenarios.seq, row.seq));
      written.push({ outcome: 'updated', scenario: storedScenario(changed) });
      if (written.length % BATCH_SIZE === 0) await yieldToEventLoop();
    } else {
      const made = {
        ...columns,
        id: newId('scn'),
        projectId,
        key: input.key,
        authorToken: actor.tokenId,
        authorLabel: actor.label,
        version: 1,
        createdAt: now,
      };
      added.push(made);
      written.push({ outcome: 'created', scenario: storedScenario(made) });
    }
  }
  if (errors[0])
    throw new Problem('conflict', errors[0].detail, { errors: errors.slice(0, ERRORS_SHOWN) });
  for (let at = 0; at < added.length; at += BATCH_SIZE) {
    await db.insert(scenarios).values(added.slice(at, at + BATCH_SIZE));
    await yieldToEventLoop();
  }
  return written;
}

type Content = ReturnType<typeof contentOf>;

function contentOf(input: ScenarioInput, before: Scenario | undefined) {
  return {
    feature: input.feature === undefined ? (before?.feature ?? null) : input.feature,
    title: input.title ?? before?.title ?? [...input.key].slice(0, 300).join(''),
    steps: input.steps,
    examples: input.examples ?? before?.examples ?? [],
    storyIds: input.storyIds ?? before?.storyIds ?? [],
    routes: input.routes ?? routesWith(input.tags, before),
    tags: input.tags ?? before?.tags ?? [],
    state: input.state ?? before?.state ?? 'active',
  };
}

/** The routes of a scenario that is given none: those of its tags, beside those that it was given otherwise. */
function routesWith(tags: readonly string[] | undefined, before: Scenario | undefined): string[] {
  if (!tags) return before?.routes ?? [];
  const declared = routesOfTags(before?.tags ?? []);
  const others = before?.routes.filter((route) => !declared.includes(route)) ?? [];
  return unique([...others, ...routesOfTags(tags)]);
}

function sameContent(one: Scenario, other: Content): boolean {
  return (Object.keys(other) as (keyof Content)[]).every(
    (name) => JSON.stringify(one[name]) === JSON.stringify(other[name]),
  );
}

export class GherkinText {
  scenarios: ScenarioInput[] = [];
  findings: GherkinFinding[] = [];
}

const check = compileCheck(ScenarioBody);

/** @throws Problem `malformed_body` for what is not UTF-8, `invalid` with the lines at fault */
export async function readGherkinText(bytes: Uint8Array): Promise<GherkinText> {
  if (!isUtf8(bytes)) throw new Problem('malformed_body', 'The body is not UTF-8.');
  if (bytes.includes(0)) throw invalid('', 'must not hold the character NUL');
  // Loaded where Gherkin is read: the readers are large.
  const { runImport } = await import('../../requirements/import/run-import.ts');
  const file = { path: 'the text', bytes, format: 'gherkin' as const };
  const read = await runImport({ files: [file], normative: [], revision: 0 });
  const { scenarios }: Catalog = parsed(read.catalog);
  const findings: Finding[] = parsed(read.findings);
  findings.sort((a, b) => a.line - b.line);
  refuse(findings.filter(({ severity }) => severity !== 'info'));
  if (scenarios.length === 0) throw invalid('', 'must hold at least one scenario');
  if (scenarios.length > MAX_SCENARIOS)
    throw invalid('', `holds ${scenarios.length} scenarios; at most ${MAX_SCENARIOS} go together`);
  const text = new GherkinText();
  text.findings = findings.map(({ code, line, detail }) => ({ code, line, detail }));
  for (const scenario of scenarios) {
    const input = sourceContent(scenario);
    refuse(faultsOf(input, scenario.line));
    text.scenarios.push(input);
  }
  return text;
}

function parsed<T>(json: Uint8Array): T {
  return JSON.parse(new TextDecoder().decode(json));
}

function faultsOf(input: ScenarioInput, line: number): Fault[] {
  try {
    check(input);
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.errors.map(({ pointer, detail }) => ({
      line,
      detail: `${pointer.slice(1)} ${detail}`,
    }));
  }
}

type Fault = Pick<Finding, 'line' | 'detail'>;

function refuse(faults: readonly Fault[]): void {
  if (faults.length === 0) return;
  const errors = faults.slice(0, ERRORS_SHOWN).map(({ line, detail }) => ({
    pointer: '',
    detail: line > 0 ? `line ${line}: ${detail}` : detail,
  }));
  throw new Problem('invalid', 'The Gherkin cannot be read.', { errors });
}
