// The route candidates of each project: what was seen, folded, and folded again only when something
// else was seen or the catalog has changed.
import type { Effective } from '../../requirements/graph/effective.ts';
import { evictOldest } from '../../requirements/graph/effective.ts';
import type { Requirements } from '../../requirements/requirements.ts';
import { moveWindow, type RowPart } from '../runs/row-window.ts';
import type { ProjectScenarios, Scenarios } from '../scenarios/scenarios.ts';
import { compareTexts, sortText } from '../sort-text.ts';
import { inTurns, type Steps } from '../turns.ts';
import type { RouteCatalog } from './catalog-build.ts';
import type { RouteCatalogs } from './catalogs.ts';
import { foldSteps, type Observation, type RouteCandidate } from './fold.ts';
import { createSightings } from './observations.ts';
import { changedIssues, issueSource, newestIssueChange } from './observed-issues.ts';
import { logSource } from './observed-logs.ts';
import { runSource } from './observed-runs.ts';
import { scenarioSightings, storySightings } from './observed-texts.ts';

/** Candidates, the most observed first. */
export interface CandidateList {
  items: readonly RouteCandidate[];
  /** What each is sorted by among those that were observed as often. */
  texts: readonly string[];
}

export interface RouteCandidates {
  of(projectId: string): Promise<CandidateList>;
}

/** All that candidates are made of; each part is another object when it has changed. */
interface Parts {
  issues: readonly RowPart[];
  logs: readonly RowPart[];
  runs: readonly RowPart[];
  catalog: RouteCatalog;
  scenarios: ProjectScenarios;
  effective: Effective;
}

interface Held extends Parts {
  /** The newest change of an issue that is known. */
  issueChange: number;
  stories: readonly Observation[];
  steps: readonly Observation[];
  list: CandidateList;
}

type Needed = Requirements & { scenarios: Scenarios; routeCatalogs: RouteCatalogs };

const never = () => false;
/** So many paths are put together in one step. */
const STEP = 500;

/** Opens the candidates of an instance. */
export function openRouteCandidates(needed: Needed): RouteCandidates {
  const { database, effective, scenarios, routeCatalogs } = needed;
  const kept = new Map<string, Held>();
  const running = new Map<string, Promise<CandidateList>>();
  const waiting = new Map<string, Promise<CandidateList>>();
  database.onRecovered(() => kept.clear());

  async function partsOf(projectId: string, held: Held | undefined) {
    const { read } = database;
    const issueChange = await newestIssueChange(read);
    const isNew = held !== undefined && held.issueChange !== issueChange;
    const changed = isNew ? await changedIssues(read, projectId, held.issueChange) : NONE;
    const isStale = ({ from, to }: RowPart) => [...changed].some((one) => one > from && one <= to);
    const parts: Parts = {
      issues: await moveWindow(
        held?.issues ?? [],
        issueSource(read, projectId),
        changed.size > 0 ? isStale : never,
      ),
      logs: await moveWindow(held?.logs ?? [], logSource(read, projectId), never),
      runs: await moveWindow(held?.runs ?? [], runSource(read, projectId), never),
      scenarios: await scenarios.of(projectId),
      catalog: await routeCatalogs.routesOf(projectId),
      effective: await effective.of(projectId),
    };
    return { parts, issueChange };
  }

  async function look(projectId: string): Promise<CandidateList> {
    const held = kept.get(projectId);
    const { parts, issueChange } = await partsOf(projectId, held);
    const names = Object.keys(parts) as (keyof Parts)[];
    const isSame = held !== undefined && names.every((name) => held[name] === parts[name]);
    const anew = isSame ? held : await folded(parts, held, issueChange);
    kept.delete(projectId);
    kept.set(projectId, { ...anew, issueChange });
    evictOldest(kept, ({ issues, logs, runs }) =>
      [issues, logs, runs].flat().reduce((sum, { seen }) => sum + seen.length, 0),
    );
    return anew.list;
  }

  function begin(projectId: string): Promise<CandidateList> {
    const value = look(projectId).finally(() => running.delete(projectId));
    running.set(projectId, value);
    return value;
  }

  return {
    /** What is under way may not know of what came since: those who ask meanwhile share the next. */
    of(projectId) {
      const now = running.get(projectId);
      if (!now) return begin(projectId);
      const known = waiting.get(projectId);
      if (known) return known;
      const next = now
        .catch(() => {})
        .then(() => {
          waiting.delete(projectId);
          return begin(projectId);
        });
      waiting.set(projectId, next);
      return next;
    },
  };
}

const NONE: ReadonlySet<number> = new Set();

async function folded(parts: Parts, held: Held | undefined, issueChange: number): Promise<Held> {
  const { catalog, scenarios, effective, issues, logs, runs } = parts;
  const stories =
    held?.effective === effective ? held.stories : await inTurns(storySightings(effective));
  const steps =
    held?.scenarios === scenarios ? held.steps : await inTurns(scenarioSightings(scenarios));
  const rows = [issues, logs, runs].flat().map(({ seen }) => seen);
  const observations = await inTurns(allOf([...rows, stories, steps]));
  const { candidates } = await inTurns(foldSteps(observations, catalog.routes, catalog.matcher));
  const list = await inTurns(inOrder(candidates));
  return { ...parts, issueChange, stories, steps, list };
}

function* inOrder(candidates: readonly RouteCandidate[]): Steps<CandidateList> {
  const sorted: { item: RouteCandidate; text: string }[] = [];
  for (const item of candidates) {
    if (sorted.length % STEP === STEP - 1) yield;
    sorted.push({ item, text: sortText(item.template, item.method) });
  }
  sorted.sort((a, b) => b.item.observations - a.item.observations || compareTexts(a.text, b.text));
  return { items: sorted.map(({ item }) => item), texts: sorted.map(({ text }) => text) };
}

function* allOf(lists: readonly (readonly Observation[])[]): Steps<Observation[]> {
  const sightings = createSightings();
  for (const list of lists) {
    for (let from = 0; from < list.length; from += STEP) {
      sightings.addAll(list.slice(from, from + STEP));
      yield;
    }
  }
  return sightings.list();
}
