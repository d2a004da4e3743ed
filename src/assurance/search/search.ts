// One search over what a project has: the best by id, title, number, commit or name, of several kinds.
import { and, desc, eq, gte, lt, or, type SQL, sql } from 'drizzle-orm';
import { accessRow, actingCapability, type OperationId } from '../../access/access.ts';
import type { Caller } from '../../access/caller.ts';
import { listIssueRows } from '../../evidence/issues/rows.ts';
import { joinedName } from '../../quality/reports/test-names.ts';
import { type Graph, isNormative } from '../../requirements/graph/model.ts';
import type { SearchHit } from '../../requirements/projects/model.ts';
import { nextSlice, runInSlices, type Steps, yieldToEventLoop } from '../../runtime/scheduler.ts';
import { placesOf } from '../../store/list-filters.ts';
import { folded } from '../../store/search-terms.ts';
import { issues } from '../../store/tables/evidence.ts';
import { latestResults, testCommands, testRuns, tests } from '../../store/tables/quality.ts';
import type { Assurance } from '../assurance.ts';

const MOST = 20;
/** Of a type; what is behind comes after what others have. */
const MAX_OF_TYPE = 6;
const NEWEST_RUNS = 2000;
const TESTS_AT_ONCE = 100_000;

interface Asked {
  projectId: string;
  /** As it was typed: SQL tells accents apart. */
  typed: string;
  text: string;
  words: readonly string[];
}

type Find = (assurance: Assurance, asked: Asked) => Promise<SearchHit[]>;

/** What is searched, by the operation that reads it. */
const SOURCES: readonly (readonly [OperationId, Find])[] = [
  ['getSrsGraph', findNodes],
  ['listIssues', findIssues],
  ['listTestCommands', findCommands],
  ['listTestRuns', findRuns],
  ['listTestRuns', findTests],
];

export async function searchProject(
  assurance: Assurance,
  caller: Caller,
  search: string,
): Promise<SearchHit[]> {
  const typed = search.trim();
  if (typed === '') return [];
  const text = folded(typed);
  const asked = { projectId: caller.projectId, typed, text, words: text.split(/\s+/) };
  const found: { hit: SearchHit; score: number }[] = [];
  for (const [operation, find] of SOURCES) {
    if (actingCapability(accessRow(operation), caller) === undefined) continue;
    const hits = (await find(assurance, asked)).map((hit) => {
      return { hit, score: scoreOf(asked, foldedHit(hit)) ?? NOWHERE };
    });
    hits.sort((a, b) => a.score - b.score);
    const scored = hits.map(({ hit, score }, at) => {
      return { hit, score: at < MAX_OF_TYPE ? score : score + NOWHERE };
    });
    found.push(...scored);
  }
  return found
    .sort((a, b) => a.score - b.score)
    .slice(0, MOST)
    .map(({ hit }) => hit);
}

type Folded = readonly [id: string, title: string, detail: string];

function foldedHit({ id, title, detail }: Pick<SearchHit, 'id' | 'title' | 'detail'>): Folded {
  return [folded(id), folded(title), folded(detail ?? '')];
}

/** For what a search found by something that is not shown. */
const NOWHERE = 5;

/** The less the better; undefined where a word is missing. */
function scoreOf({ text, words }: Asked, [id, title, detail]: Folded): number | undefined {
  if (id === text || detail === text || detail === `#${text}`) return 0;
  if (!words.every((word) => title.includes(word) || id.includes(word) || detail.includes(word)))
    return undefined;
  if (id.startsWith(text) || detail.startsWith(text)) return 1;
  if (title.startsWith(text)) return 2;
  return words.every((word) => ` ${title}`.includes(` ${word}`)) ? 3 : 4;
}

const indexes = new WeakMap<Graph, Promise<readonly Folded[]>>();
/** How many nodes are looked at in a step. */
const STEP = 512;

function* foldNodes({ nodes }: Graph): Steps<readonly Folded[]> {
  const index: Folded[] = [];
  for (const [place, { id, title, kind, source }] of nodes.entries()) {
    if (place % STEP === 0) yield;
    index.push(foldedHit({ id, title, detail: kind === 'document' ? source.path : null }));
  }
  return index;
}

async function findNodes({ states }: Assurance, asked: Asked): Promise<SearchHit[]> {
  const state = await states.of(asked.projectId);
  const { graph } = state.effective.index;
  const index = indexes.get(graph) ?? runInSlices(foldNodes(graph));
  indexes.set(graph, index);
  const found: { place: number; score: number }[] = [];
  for (const [place, one] of (await index).entries()) {
    const score = scoreOf(asked, one);
    if (score !== undefined) found.push({ place, score });
  }
  await state.coverage().ready();
  return found
    .sort((a, b) => a.score - b.score)
    .slice(0, MOST)
    .flatMap(({ place }): SearchHit[] => {
      const node = graph.nodes[place];
      if (!node) return [];
      const { id, title, kind, source } = node;
      const type = isNormative(node) ? 'story' : kind === 'document' ? 'document' : 'section';
      const status = state.coverage().of(id)?.status ?? null;
      return [{ type, id, title, status, detail: kind === 'document' ? source.path : null }];
    });
}

async function findIssues(
  { database, issuesIndex, tokens }: Assurance,
  { projectId, text, words }: Asked,
): Promise<SearchHit[]> {
  const { read } = database;
  const number = /^#?(\d{1,9})$/.exec(text)?.[1];
  const q = words.map((word) => `${word.replace(/["*]/g, '')}*`).join(' ');
  const searched = await issuesIndex.search(projectId, q);
  const places = await placesOf(read, 'issues', {});
  const project = { id: projectId, seq: tokens.project(projectId)?.seq, searched, places };
  const isNamed = or(eq(issues.id, text), number ? eq(issues.number, Number(number)) : undefined);
  const rows = [
    ...(await read
      .select()
      .from(issues)
      .where(and(eq(issues.projectId, projectId), isNamed))),
    ...(await listIssueRows(read, project, { q }, undefined, MOST, nextSlice)),
  ];
  const byId = new Map(rows.map((row) => [row.id, row]));
  return [...byId.values()].map(({ id, title, status, number: own, fromWidget: untrusted }) => {
    return { type: 'issue', id, title, status, detail: `#${own}`, untrusted };
  });
}

/** That a text holds all words, whatever their case. */
function holds(text: SQL, { typed }: Asked): SQL | undefined {
  return and(
    ...typed.split(/\s+/).map((word) => sql`${text} like ${`%${escaped(word)}%`} escape '\\'`),
  );
}

function escaped(word: string): string {
  return word.replace(/[\\%_]/g, '\\$&');
}

async function findCommands({ database }: Assurance, asked: Asked): Promise<SearchHit[]> {
  const { projectId, id, key, name, state, seq } = testCommands;
  const rows = await database.read
    .select({ id, title: name, status: state, detail: key })
    .from(testCommands)
    .where(
      and(
        eq(projectId, asked.projectId),
        or(eq(id, asked.text), holds(sql`${key} || ' ' || ${name}`, asked)),
      ),
    )
    .orderBy(desc(seq))
    .limit(MOST);
  return rows.map((row) => ({ type: 'command', ...row }));
}

/** By name among the newest; by id or the beginning of a commit among all. */
async function findRuns({ database }: Assurance, asked: Asked): Promise<SearchHit[]> {
  const { projectId, id, name, status, commitId, seq } = testRuns;
  const { text } = asked;
  const ofProject = eq(projectId, asked.projectId);
  const select = (where: SQL | undefined) =>
    database.read
      .select({ id, title: name, status, detail: commitId })
      .from(testRuns)
      .where(and(ofProject, where))
      .orderBy(desc(seq))
      .limit(MOST);
  const newest = sql`(select ${seq} from ${testRuns} where ${ofProject} order by ${seq} desc limit 1 offset ${NEWEST_RUNS})`;
  const lists = [
    text.startsWith('run_') ? await select(eq(id, text)) : [],
    /^[0-9a-f]{4,64}$/.test(text)
      ? await select(and(gte(commitId, text), lt(commitId, `${text}g`)))
      : [],
    await select(and(sql`${seq} > coalesce(${newest}, 0)`, holds(sql`${name}`, asked))),
  ];
  const byId = new Map(lists.flat().map((row) => [row.id, row]));
  return [...byId.values()].map((row) => ({ type: 'run', ...row }));
}

/** Walks down all tests, in steps: a project's index of them leads to each by itself, which takes longer. */
async function findTests({ database }: Assurance, asked: Asked): Promise<SearchHit[]> {
  const { testKey, name, path, file, seq, projectId } = tests;
  const { status } = latestResults;
  const found: SearchHit[] = [];
  for (let below = Number.MAX_SAFE_INTEGER; ; ) {
    const [[last] = [null]] = await database.read.values<[number | null]>(sql`
      select min(seq) from (select seq from tests not indexed where seq < ${below} order by seq desc limit ${TESTS_AT_ONCE})`);
    if (last === null) return found;
    const rows = await database.read.values<
      [string, string, string, string | null, string | null]
    >(sql`
      select ${testKey}, ${name}, ${path}, ${file}, ${status}
      from ${tests} not indexed left join ${latestResults} on ${latestResults.testSeq} = ${seq}
      where ${seq} >= ${last} and ${seq} < ${below} and ${projectId} = ${asked.projectId}
      and (${or(eq(testKey, asked.typed), holds(sql`${name}`, asked))})
      order by ${name} like ${`${escaped(asked.typed)}%`} escape '\\' desc, length(${name}), ${seq} desc limit ${MOST}`);
    for (const [id, own, suites, detail, status] of rows)
      found.push({ type: 'test', id, title: joinedName(JSON.parse(suites), own), status, detail });
    below = last;
    await yieldToEventLoop();
  }
}
