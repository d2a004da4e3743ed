// The last verdicts on stories that are gone: what was judged may be what another story says now.
import { type GraphNode, isNormative } from '../requirements/graph/model.ts';
import type { ValidationRow } from '../store/tables/assurance.ts';
import { isOfToday } from './standing-verdict.ts';
import type { AssuranceState } from './state.ts';

type Judged = Pick<AssuranceState, 'validationsOf' | 'effective'>;

interface GoneVerdicts {
  at: ReadonlyMap<string, number>;
  all: readonly ValidationRow[];
  byFingerprint: ReadonlyMap<string, readonly ValidationRow[]>;
  /** A fingerprint of each profile among them. */
  profiles: readonly string[];
}

const known = new WeakMap<Judged['validationsOf'], GoneVerdicts>();

/** The last verdict on each story that is gone. */
export function lastOfGone(state: Judged): readonly ValidationRow[] {
  return goneVerdicts(state).all;
}

/** Those that judged what a story and all it rests on say today. */
export function goneVerdictsOn(state: Judged, storyId: string): readonly ValidationRow[] {
  const { byFingerprint, profiles } = goneVerdicts(state);
  const { effective } = state;
  return profiles.flatMap((stored) =>
    (byFingerprint.get(effective.under(storyId, stored) ?? '') ?? []).filter((verdict) =>
      isOfToday(effective, { ...verdict, storyId }),
    ),
  );
}

/** Found once for the same verdicts and stories. */
function goneVerdicts({ validationsOf, effective }: Judged): GoneVerdicts {
  const { at, graph } = effective.index;
  const before = known.get(validationsOf);
  if (before?.at === at) return before;
  const all = [...validationsOf].flatMap(([id, verdicts]) => {
    const node: GraphNode | undefined = graph.nodes[at.get(id) ?? -1];
    return node && isNormative(node) ? [] : (verdicts.at(-1) ?? []);
  });
  const byFingerprint = Map.groupBy(all, ({ fingerprint }) => fingerprint);
  const profileOf = (fingerprint: string) => fingerprint.slice(0, fingerprint.indexOf(':'));
  const profiles = new Map(all.map(({ fingerprint }) => [profileOf(fingerprint), fingerprint]));
  const made = { at, all, byFingerprint, profiles: [...profiles.values()] };
  known.set(validationsOf, made);
  return made;
}
