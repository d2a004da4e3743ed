// The last verdicts on stories that are gone: what was judged may be what another story says now.
import { type GraphNode, isNormative } from '../../requirements/graph/model.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';
import type { AssuranceState } from '../state/state.ts';
import { firstSaidBy } from './first-said.ts';
import { isOfToday } from './standing-verdict.ts';

type Judged = Pick<AssuranceState, 'validationsOf' | 'effective'>;

interface GoneVerdicts {
  at: ReadonlyMap<string, number>;
  /** By fingerprint, then by deep fingerprint. */
  byText: ReadonlyMap<string, ReadonlyMap<string, GoneOn>>;
  /** A fingerprint of each profile among them, with a deep one of each that goes with it. */
  profiles: readonly (readonly [stored: string, deep: readonly string[]])[];
}

/** What was said last of stories that are gone, of one text and all that it rests on. */
export interface GoneOn {
  /** The newest that a person said first, but for those that it passed. */
  refused: ValidationRow | undefined;
}

const known = new WeakMap<Judged['validationsOf'], GoneVerdicts>();

/** Whether a story was judged that is gone. */
export function hasGone(state: Judged): boolean {
  return goneVerdicts(state).byText.size > 0;
}

/** Whether a story that is gone was judged last on what a story says today. */
export function isTextOfGone(state: Judged, storyId: string): boolean {
  const { byText, profiles } = goneVerdicts(state);
  const { under } = state.effective;
  return profiles.some(([stored]) => byText.has(under(storyId, stored) ?? ''));
}

/**
 * What a person said last of a story that is gone, other than that it passed, where that said what a
 * story and all it rests on say today: under whatever name, a person decides.
 *
 * @returns undefined where this story was judged since on what it says today
 */
export function refusedBefore(state: Judged, storyId: string): ValidationRow | undefined {
  const before = state.validationsOf.get(storyId) ?? [];
  const own = before.findLast((row) => isOfToday(state.effective, row));
  const refused = goneOn(state, storyId).reduce(
    (last, one) => newer(last, one.refused),
    undefined as ValidationRow | undefined,
  );
  return refused && refused.seq > (own?.seq ?? 0) ? refused : undefined;
}

function newer(
  one: ValidationRow | undefined,
  other: ValidationRow | undefined,
): ValidationRow | undefined {
  return one && (!other || one.seq > other.seq) ? one : other;
}

/** What was said of those that are gone that said what a story and all it rests on say today. */
function goneOn(state: Judged, storyId: string): readonly GoneOn[] {
  const { byText, profiles } = goneVerdicts(state);
  const { under } = state.effective;
  return profiles.flatMap(([stored, deep]) => {
    const alike = byText.get(under(storyId, stored) ?? '');
    return alike ? deep.flatMap((one) => alike.get(under(storyId, one) ?? '') ?? []) : [];
  });
}

/** Found once for the same verdicts and stories. */
function goneVerdicts({ validationsOf, effective }: Judged): GoneVerdicts {
  const { at, graph } = effective.index;
  const before = known.get(validationsOf);
  if (before?.at === at) return before;
  const byText = new Map<string, Map<string, GoneOn>>();
  const profiles = new Map<string, { stored: string; deep: Map<string, string> }>();
  for (const [id, verdicts] of validationsOf) {
    const node: GraphNode | undefined = graph.nodes[at.get(id) ?? -1];
    const last = verdicts.at(-1);
    if (!last || (node && isNormative(node))) continue;
    const { fingerprint, deepFingerprint } = last;
    const profile = profiles.get(profileOf(fingerprint)) ?? {
      stored: fingerprint,
      deep: new Map(),
    };
    profiles.set(profileOf(fingerprint), profile);
    profile.deep.set(profileOf(deepFingerprint), deepFingerprint);
    const alike = byText.get(fingerprint) ?? new Map<string, GoneOn>();
    byText.set(fingerprint, alike);
    const said = alike.get(deepFingerprint) ?? { refused: undefined };
    alike.set(deepFingerprint, said);
    if (last.verdict !== 'passed' && firstSaidBy(validationsOf, last) === 'person')
      said.refused = newer(said.refused, last);
  }
  const told = [...profiles.values()].map(
    ({ stored, deep }) => [stored, [...deep.values()]] as const,
  );
  const made = { at, byText, profiles: told };
  known.set(validationsOf, made);
  return made;
}

function profileOf(fingerprint: string): string {
  return fingerprint.slice(0, fingerprint.indexOf(':'));
}
