// What stories said for runs that did not pin them, because they were linked to what ran only later:
// worked out from the revision that a run is of, and from what has been laid over stories since.
import { and, eq, inArray, or, sql } from 'drizzle-orm';
import { type Effective, withoutOverlays } from '../requirements/effective.ts';
import type { NormativeField } from '../requirements/graph/fingerprint.ts';
import { upstreamLinks } from '../requirements/graph/graph-index.ts';
import type { Graphs } from '../requirements/graphs.ts';
import type { EditValues } from '../requirements/overlay/model.ts';
import type { Db } from '../store/database.ts';
import { overlayChanges, storyEdits } from '../store/tables/assurance.ts';
import type { LinkedStories } from './linked-stories.ts';
import { batchOf, type ResultIndex } from './result-index.ts';
import type { StoryCommands } from './story-commands.ts';
import { isOfRequirements } from './story-links.ts';
import type { TargetResult } from './target-results.ts';

type Then = NonNullable<TargetResult['requirements']>;

export interface PastStories {
  /**
   * The fingerprint that a story had in a state of the requirements, which then may be compared with
   * today's; undefined where it had none, or where that cannot be told.
   */
  fingerprintThen(storyId: string, then: Then): string | undefined;
}

export const NO_PAST: PastStories = { fingerprintThen: () => undefined };

/** The fingerprints that stories had in revisions, as their sources gave them, by the graph's hash. */
export type KnownRevisions = ReadonlyMap<string, ReadonlyMap<string, string | undefined>>;

/** Of older revisions nobody is told: reading one takes as long as its graph is large. */
const MOST_REVISIONS = 50;

/** What results are linked to by more than the names of their tests. */
export interface LaterLinks {
  /** The stories that tests and commands verify without naming them. */
  linked(): LinkedStories;
  /** The commands that name stories, by these. */
  named: StoryCommands['linksOf'];
}

/** The stories that results of an earlier state are linked to without having pinned them, by revision. */
export function unpinnedStories(
  effective: Effective,
  { tests, commands, facts }: ResultIndex,
  { linked, named }: LaterLinks,
): Map<number, Set<string>> {
  const wanted = new Map<number, Set<string>>();
  const earlier = [...facts.values()].filter(
    (run) => run.requirements !== null && !isOfRequirements(effective, run),
  );
  if (earlier.length === 0) return wanted;
  const { ofTest, ofCommand } = linked();
  for (const [key, ids] of ofTest) {
    const test = tests.get(key);
    if (test) note(test.resultSeq, ids);
  }
  for (const [id, ids] of ofCommand) noteCommand(id, ids);
  for (const [id, links] of named) for (const { target } of links) noteCommand(target.id, [id]);
  return wanted;

  function noteCommand(id: string, ids: readonly string[]): void {
    const run = commands.get(id);
    if (run) noteRun(run.result, ids);
  }

  function note(resultSeq: number, ids: readonly string[]): void {
    const run = facts.get(batchOf(resultSeq));
    if (run) noteRun(run, ids);
  }

  function noteRun(
    run: Pick<TargetResult, 'requirements' | 'fingerprintOf'>,
    ids: readonly string[],
  ): void {
    if (!run.requirements || isOfRequirements(effective, run)) return;
    const { revision } = run.requirements;
    for (const id of ids) {
      if (!effective.index.at.has(id) || run.fingerprintOf(id) !== undefined) continue;
      const known = wanted.get(revision);
      if (known) known.add(id);
      else wanted.set(revision, new Set([id]));
    }
  }
}

/**
 * Reads what stories said in revisions.
 *
 * @param wanted - the stories by the numbers of the revisions
 * @param known - what was read before
 */
export async function readRevisions(
  graphs: Graphs,
  { projectId, revision: latest }: Effective,
  wanted: ReadonlyMap<number, ReadonlySet<string>>,
  known: KnownRevisions,
): Promise<{ hashes: Map<number, string>; revisions: KnownRevisions }> {
  const revisions = new Map<string, Map<string, string | undefined>>();
  const hashes = new Map<number, string>();
  const newest = [...wanted.keys()].filter((one) => one > 0).sort((a, b) => b - a);
  for (const number of newest.slice(0, MOST_REVISIONS)) {
    const row =
      number === latest?.number
        ? latest
        : (graphs.known(projectId, number) ?? (await graphs.revision(projectId, number)));
    const before = known.get(row.graphSha256);
    const ids = [...(wanted.get(number) ?? [])];
    const made = revisions.get(row.graphSha256) ?? new Map(before);
    hashes.set(number, row.graphSha256);
    revisions.set(row.graphSha256, made);
    const missing = new Set(ids.filter((id) => !made.has(id)));
    if (missing.size === 0) continue;
    for (const id of missing) made.set(id, undefined);
    for (const { id, fingerprint } of (await graphs.graph(row)).nodes) {
      if (missing.has(id)) made.set(id, fingerprint);
    }
  }
  return { hashes, revisions };
}

/** A move that has changed what a story says. */
export interface Laid {
  overlayId: string;
  storyId: string;
  /** Where it stands among all moves. */
  seq: number;
}

/**
 * The last moves by which edits and additions came into force or went out of it.
 *
 * @param normative - the fields that count: an edit of others changes nothing
 */
export async function readLaid(
  db: Db,
  projectId: string,
  normative: readonly NormativeField[],
): Promise<Map<string, Laid[]>> {
  const inForce = ['accepted', 'active'];
  const rows = await db
    .select({
      overlayId: overlayChanges.overlayId,
      storyId: overlayChanges.storyId,
      seq: sql<number>`max(${overlayChanges.seq})`,
      setFields: storyEdits.setFields,
    })
    .from(overlayChanges)
    .leftJoin(storyEdits, eq(storyEdits.id, overlayChanges.overlayId))
    .where(
      and(
        eq(overlayChanges.projectId, projectId),
        or(inArray(overlayChanges.fromState, inForce), inArray(overlayChanges.toState, inForce)),
      ),
    )
    .groupBy(overlayChanges.overlayId);
  const counting = rows.filter(({ setFields }) => {
    if (setFields === null) return true;
    const fields = Object.keys(JSON.parse(setFields) as EditValues);
    return normative.some((field) => fields.includes(field));
  });
  return Map.groupBy(counting, ({ storyId }) => storyId);
}

/**
 * What stories said then.
 *
 * @param saidIn - gives the fingerprint of a story in a revision as its sources gave it; null where
 *   that is not known
 * @param laid - by story
 */
export function pastStories(
  effective: Effective,
  saidIn: (revision: number, storyId: string) => string | undefined | null,
  laid: ReadonlyMap<string, readonly Laid[]>,
): PastStories {
  const { canonical, index, node } = effective;
  let sources: Effective | undefined;
  return {
    fingerprintThen(storyId, { revision, overlayClock }) {
      const place = index.at.get(storyId);
      const said = place === undefined ? null : saidIn(revision, storyId);
      if (place === undefined || said === null) return undefined;
      if (overlayClock === null) return said;
      // What is laid over it was there then: it said what it says, where the sources do.
      const isSame = !isLaidSince(storyId, place, overlayClock) && saysToday(storyId, said);
      return isSame ? node(storyId)?.fingerprint : undefined;
    },
  };

  function saysToday(storyId: string, said: string | undefined): boolean {
    const today = canonical.graph.nodes[canonical.at.get(storyId) ?? -1]?.fingerprint;
    if (said === today || said === undefined || today === undefined) return said === today;
    sources ??= withoutOverlays(effective);
    return sources.under(storyId, said) === said;
  }

  /** Whether a story was edited or added since, or something was added that it rests on. */
  function isLaidSince(storyId: string, place: number, clock: number): boolean {
    if (laid.get(storyId)?.some(({ seq }) => seq > clock)) return true;
    return upstreamLinks(index, place).some(([, to]) => {
      const id = index.at.has(to) ? to : to.slice('missing:'.length);
      const moves = laid.get(id);
      return moves?.some(({ overlayId, seq }) => seq > clock && overlayId.startsWith('add_'));
    });
  }
}

/**
 * Reads what stories said for the results of earlier states that have not pinned them.
 *
 * @param known - what was read of revisions before
 */
export async function readPast(
  { graphs, db }: { graphs: Graphs; db: Db },
  effective: Effective,
  results: ResultIndex,
  links: LaterLinks,
  known: KnownRevisions,
): Promise<{ past: PastStories; revisions: KnownRevisions }> {
  const wanted = unpinnedStories(effective, results, links);
  if (wanted.size === 0) return { past: NO_PAST, revisions: known };
  const { projectId, settings } = effective;
  const { hashes, revisions } = await readRevisions(graphs, effective, wanted, known);
  const laid = await readLaid(db, projectId, settings.normative);
  function saidIn(number: number, storyId: string): string | undefined | null {
    if (number === 0) return undefined;
    const said = revisions.get(hashes.get(number) ?? '');
    return said?.has(storyId) ? said.get(storyId) : null;
  }
  return { past: pastStories(effective, saidIn, laid), revisions };
}
