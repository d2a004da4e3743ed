// The stories that one which is gone may be by now. Of thousands of gone stories with one text each may
// be each of as many new ones, so that what is alike for all of them is kept once.

/** When an added story was in force: from a time on, up to another, without that. */
export interface Period {
  from: number;
  until: number;
}

/** What is known of the time of a verdict. */
export interface Judgement {
  revision: number;
  createdAt: number;
}

/** Which stories there were at a time. */
export interface Presence {
  /** The ids of what a revision holds; undefined where it is not known. */
  idsOn(revision: number): ReadonlySet<string> | undefined;
  /** When an addition had an id, in order, none within another; empty for what was never added. */
  periodsOf(storyId: string): readonly Period[];
}

/** Ids of stories in source order, made as they are asked for; not to be copied for each gone story. */
export interface Candidates extends Iterable<string> {
  count: number;
}

export const NO_CANDIDATES: Candidates = { count: 0, [Symbol.iterator]: () => [].values() };

/** The first candidates. */
export function firstOf(candidates: Candidates, most: number): string[] {
  const ids: string[] = [];
  for (const id of candidates) {
    if (ids.length === most) break;
    ids.push(id);
  }
  return ids;
}

/** Of the stories with one text, those that were not there for a verdict. */
export interface Newcomers {
  /** Shared by all verdicts for which they are the same. */
  of(verdict: Judgement): Candidates;
  /** Those that were not there for one verdict at least of some. */
  ofAny(verdicts: readonly Judgement[]): ReadonlySet<string>;
}

/** @param alike - ids of stories that say the same, in source order */
export function newcomersAmong(alike: readonly string[], presence: Presence): Newcomers {
  const known = new Map<number, Absent>();

  function on(revision: number): Absent {
    const before = known.get(revision);
    if (before) return before;
    const ids = presence.idsOn(revision);
    const made = absentAmong(ids ? alike.filter((id) => !ids.has(id)) : alike, presence);
    known.set(revision, made);
    return made;
  }

  return {
    of: ({ revision, createdAt }) => on(revision).at(createdAt),
    ofAny(verdicts) {
      const found = new Set<string>();
      for (const [revision, some] of Map.groupBy(verdicts, (one) => one.revision)) {
        const times = sorted(some.map(({ createdAt }) => createdAt));
        for (const id of on(revision).ids) {
          const there = presence
            .periodsOf(id)
            .reduce((sum, { from, until }) => sum + before(times, until) - before(times, from), 0);
          if (there < times.length) found.add(id);
        }
      }
      return found;
    },
  };
}

/** Stories that are not in a revision. */
interface Absent {
  ids: readonly string[];
  /** Those of them that were not added at a time either. */
  at(time: number): Candidates;
}

function absentAmong(ids: readonly string[], { periodsOf }: Presence): Absent {
  const periods = ids.flatMap(periodsOf);
  if (periods.length === 0) {
    const all: Candidates = { count: ids.length, [Symbol.iterator]: () => ids.values() };
    return { ids, at: () => all };
  }
  const starts = sorted(periods.map(({ from }) => from));
  const ends = sorted(periods.map(({ until }) => until));
  const known = new Map<number, Candidates>();
  return {
    ids,
    at(time) {
      const [begun, ended] = [before(starts, time + 1), before(ends, time + 1)];
      // Between two changes all times are alike.
      const part = begun + ended;
      const isAway = (id: string) =>
        !periodsOf(id).some(({ from, until }) => from <= time && time < until);
      const made = known.get(part) ?? {
        count: ids.length - (begun - ended),
        [Symbol.iterator]: () => ids.values().filter(isAway),
      };
      known.set(part, made);
      return made;
    },
  };
}

function sorted(numbers: readonly number[]): Float64Array {
  return Float64Array.from(numbers).sort();
}

/** How many of some numbers, which rise, are less than one. */
function before(numbers: Float64Array, limit: number): number {
  let [from, to] = [0, numbers.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((numbers[middle] as number) < limit) from = middle + 1;
    else to = middle;
  }
  return from;
}
