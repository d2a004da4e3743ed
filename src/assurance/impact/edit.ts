// What an edit would reach: nothing, where no fingerprint would be another that is of today or that a
// link, a verdict or a run was stamped with.
import type { Effective } from '../../requirements/graph/effective.ts';
import { fieldsOfPrefix } from '../../requirements/graph/fingerprint.ts';
import type { GraphIndex } from '../../requirements/graph/graph-index.ts';
import { applyOverlays } from '../../requirements/overlay/apply.ts';
import type { EditContent } from '../../requirements/overlay/model.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';
import { tracesTo } from '../coverage/story-links.ts';
import type { AssuranceState } from '../state/state.ts';
import { impactOf, withOrphans } from './impact.ts';
import type { Impact, Under } from './model.ts';

const NO_IMPACT: Impact = {
  stories: [],
  scenarios: [],
  testCommands: [],
  routes: [],
  traces: [],
  validations: [],
  testsToRerun: [],
  estimateMs: null,
};

/** The impact of an edit of a story that there is. */
export function impactOfEdit(
  state: AssuranceState,
  edit: Pick<EditContent, 'storyId' | 'set'>,
  renamedToIt: readonly ValidationRow[],
): Impact {
  const { storyId } = edit;
  const { node, under } = state.effective;
  const after = fingerprintsWith(state.effective, edit);
  const changes = (stored: string) => under(storyId, stored) !== after(storyId, stored);
  const orphaned = renamedToIt.filter(({ fingerprint }) => changes(fingerprint));
  const impact = withOrphans(impactOf(state, [storyId], after), orphaned);
  const isNoticed =
    changes(node(storyId)?.fingerprint ?? '') ||
    impact.traces.length + impact.validations.length > 0 ||
    runStamps(state, storyId).some(changes);
  return isNoticed ? impact : NO_IMPACT;
}

function fingerprintsWith(
  { indexUnder }: Effective,
  edit: Pick<EditContent, 'storyId' | 'set'>,
): Under {
  const laid = new Map<string, GraphIndex | undefined>();
  return (id, stored) => {
    // Fingerprints and deep ones have their profiles behind another letter.
    const profile = stored.slice(1, stored.indexOf(':'));
    if (!laid.has(profile)) {
      const [index, fields] = [indexUnder(stored), fieldsOfPrefix(stored)];
      const overlays = { edits: [{ id: '', ...edit }], additions: [] };
      laid.set(profile, index && fields && applyOverlays(index, overlays, fields));
    }
    const index = laid.get(profile);
    const node = index?.graph.nodes[index.at.get(id) ?? -1];
    return stored.startsWith('d') ? node?.deepFingerprint : node?.fingerprint;
  };
}

/**
 * The fingerprints that a story had for the newest runs of what it is linked to; of those that have
 * not pinned it their profiles.
 */
function runStamps(state: AssuranceState, storyId: string): string[] {
  if (state.results.size === 0) return [];
  return tracesTo(state, storyId).flatMap(({ target }) => {
    const result = state.results.of(target);
    const { requirements } = result ?? {};
    const past = requirements ? state.past.of(storyId, requirements)?.[0] : undefined;
    return result?.fingerprintOf(storyId) ?? requirements?.profile ?? past ?? [];
  });
}
