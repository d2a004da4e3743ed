// What the requests that come next for a story are made of, gathered from its project's state.
import type { Capability } from '../../access/access.ts';
import type { GraphNode } from '../../requirements/graph/model.ts';
import type { EditState } from '../../requirements/overlay/model.ts';
import type { Settings } from '../../requirements/projects/settings.ts';
import type { StoryCommand } from '../coverage/declared.ts';
import type { StoryTrace } from '../coverage/model.ts';
import { suspectLinks, whyFailing, whyUncounted } from '../coverage/reasons.ts';
import { coverageFor, isLeftToVerdicts, judgesOf } from '../coverage/story-coverage.ts';
import { sortLinks, standingOfTarget } from '../coverage/story-links.ts';
import type { AssuranceState } from '../state/state.ts';
import type { Reviewed } from '../traceability/model.ts';
import { lackingTexts } from './facts.ts';
import { freeKey, onOneLine } from './keys.ts';

export type NextStory = ReturnType<typeof nextStory>;

/**
 * Gathers what the requests for a story are made of.
 *
 * @param isScenario - whether a scenario has a key: one of the sources, or a stored one in any state
 */
export function nextStory(
  state: AssuranceState,
  node: GraphNode,
  isScenario: (key: string) => boolean,
) {
  const { id, title, statement, acceptance } = node;
  const { needs, traces, status, inherited } = coverageFor(state, node);
  const uncounted = whyUncounted(node);
  const links = sortLinks(state, id, traces);
  const edits = state.effective.edits.filter(
    (edit) => edit.storyId === id && edit.state !== 'accepted',
  );
  const openEdit = edits.find((edit) => edit.state === 'conflicted') ?? edits[0];
  const commands = new Set<string>();
  const runners = new Set<string>();
  const quarantined = new Set<StoryCommand>();
  for (const { type, target } of traces) {
    if (type !== 'verifies') continue;
    const result = state.results.of(target);
    const standing = standingOfTarget(state, target, result);
    if (standing === 'retired') continue;
    const own = target.kind === 'command' ? target.id : undefined;
    const runner = state.commands.find(own ?? result?.commandId ?? '');
    if (!runner) continue;
    // What is run in quarantine brings no story on.
    if (standing === 'quarantined') quarantined.add(runner);
    else runners.add(runner.id);
    if (own !== undefined && standing === 'counts') commands.add(runner.id);
  }
  const isFailing = status === 'failing' && !inherited && uncounted === undefined;
  return {
    id,
    title,
    statement,
    acceptance,
    /** Why it needs nothing; undefined where it is counted. */
    uncounted,
    /** The texts that it lacks, each in a sentence. */
    lacking: lackingTexts(node),
    /** An edit of it that waits for a decision, or is in conflict, and who may settle it. */
    openEdit: openEdit?.id,
    settler: settlerOf((openEdit?.state ?? 'proposed') as EditState, state.effective.settings),
    /** Needs that are neither met nor justified. */
    unmet: needs.flatMap(({ need, state: met }) => (met === 'unmet' ? [need] : [])),
    /** The review of the links that were made for an earlier text. */
    suspects: reviewOf(state, id, suspectLinks(state, traces)),
    /** Which of what covers it fails, in a sentence; undefined where nothing of its own does. */
    failing: isFailing ? whyFailing(state, traces) : undefined,
    /** Nothing that runs judges it, nor has to. */
    leftToVerdicts: !inherited && isLeftToVerdicts(links),
    /** Commands that verify it, but for those in quarantine. */
    commands: [...commands],
    /** These, and those that ran its tests last. */
    runners: [...runners],
    /** Commands in quarantine, where by these nothing judges it. */
    quarantined: judgesOf(links).length === 0 ? [...quarantined] : [],
    /** The keys of a command and of a scenario that would verify it, as nothing has them. */
    newKey: freeKey(`verify ${id}`, (key) => state.commands.find(key) !== undefined),
    newScenario: freeKey(`${id} / ${nameFor(node)}`, isScenario),
  };
}

/** The review of links of a story as it is now, of those that can be reviewed. */
function reviewOf(
  { effective }: AssuranceState,
  storyId: string,
  links: readonly StoryTrace[],
): Reviewed[] {
  const { fingerprint } = effective.node(storyId) ?? {};
  if (fingerprint === undefined) return [];
  return links.flatMap(({ id }) => (id === null ? [] : [{ id, fingerprint }]));
}

/**
 * Who may settle an edit that is open: whoever edits may rebase one that is in conflict; under review
 * an owner decides the others.
 */
function settlerOf(state: EditState, { editPolicy }: Pick<Settings, 'editPolicy'>): Capability {
  return editPolicy === 'review' && state !== 'conflicted' ? 'project:owner' : 'srs:edit';
}

export function nameFor({ id, title }: Pick<GraphNode, 'id' | 'title'>): string {
  return onOneLine(title) || onOneLine(id);
}
