// What the requests that come next for a story are made of, gathered from its project's state.
import type { Capability } from '../../access/access.ts';
import type { GraphNode } from '../../requirements/graph/model.ts';
import type { EditState } from '../../requirements/overlay/model.ts';
import type { Settings } from '../../requirements/projects/settings.ts';
import type { StoryEditRow } from '../../store/tables/assurance.ts';
import type { StoryCommand } from '../coverage/declared.ts';
import type { Need, StoryCoverage, StoryTrace } from '../coverage/model.ts';
import { suspectLinks, whyFailing, whyUncounted } from '../coverage/reasons.ts';
import { coverageFor, isLeftToVerdicts, judgesOf } from '../coverage/story-coverage.ts';
import { sortLinks, standingOfTarget } from '../coverage/story-links.ts';
import type { AssuranceState } from '../state/state.ts';
import type { Reviewed } from '../traceability/model.ts';
import { lackingTexts } from './facts.ts';
import { freeKey, onOneLine } from './keys.ts';

export interface NextStory extends Pick<GraphNode, 'id' | 'title' | 'statement' | 'acceptance'> {
  /** Why it needs nothing; undefined where it is counted. */
  uncounted: string | undefined;
  /** Needs that are neither met nor justified. */
  unmet: readonly Need[];
  /** Who may settle its edits. */
  settler: Capability;
  /** The texts that it lacks, and the edits that would give them, each with who may settle it. */
  lacking: readonly {
    why: string;
    edit: (Pick<StoryEditRow, 'id' | 'state'> & { settler: Capability }) | undefined;
  }[];
  /**
   * The links that were made for an earlier text, its own or those that it inherits from, each with
   * the fingerprint that its story has now.
   */
  suspects: readonly Reviewed[];
  /** The stories whose links these are, where it inherits. */
  suspectIn: readonly string[];
  /** Which of what covers it fails, in a sentence; undefined where nothing of its own does. */
  failing: string | undefined;
  /** Nothing that runs judges it, nor has to. */
  leftToVerdicts: boolean;
  /** The key of a command that would verify it, as no command has it. */
  newKey: string;
  /** The key of a scenario that would verify it, as no scenario has it. */
  newScenario: string;
  /** Commands that verify it, but for those in quarantine. */
  commands: readonly string[];
  /** These, and those that ran its tests last. */
  runners: readonly string[];
  /** Commands in quarantine, where by these nothing judges it. */
  quarantined: readonly Pick<StoryCommand, 'id' | 'guarded' | 'version'>[];
}

/**
 * Gathers what the requests for a story are made of.
 *
 * @param isScenario - whether a scenario has a key: one of the sources, or a stored one in any state
 */
export function nextStory(
  state: AssuranceState,
  node: GraphNode,
  isScenario: (key: string) => boolean,
): NextStory {
  const { id, title, statement, acceptance } = node;
  const { needs, traces, status, inherited } = coverageFor(state, node);
  const uncounted = whyUncounted(node);
  const links = sortLinks(state, id, traces);
  const { settings } = state.effective;
  const edits = state.effective.edits.filter(({ storyId }) => storyId === id);
  const open = edits.map((edit) => ({
    ...edit,
    settler: settlerOf(edit.state as EditState, settings),
  }));
  const isConflicted = edits.some((edit) => edit.state === 'conflicted');
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
  const suspectIn = inherited && status === 'suspect' ? suspectBelow(state, id) : [];
  const suspects = [{ storyId: id, traces }, ...suspectIn].flatMap((one) =>
    reviewOf(state, one.storyId, suspectLinks(state, one.traces)),
  );
  return {
    id,
    title,
    statement,
    acceptance,
    settler: settlerOf(isConflicted ? 'conflicted' : 'proposed', settings),
    lacking: lackingTexts(node, open),
    unmet: needs.flatMap(({ need, state: met }) => (met === 'unmet' ? [need] : [])),
    suspects,
    suspectIn: suspectIn.map(({ storyId }) => storyId),
    uncounted,
    failing:
      status === 'failing' && !inherited && uncounted === undefined
        ? whyFailing(state, traces)
        : undefined,
    leftToVerdicts: !inherited && isLeftToVerdicts(links),
    commands: [...commands],
    runners: [...runners],
    quarantined: judgesOf(links).length === 0 ? [...quarantined] : [],
    newKey: freeKey(`verify ${id}`, (key) => state.commands.find(key) !== undefined),
    newScenario: freeKey(`${id} / ${nameFor(node)}`, isScenario),
  };
}

/** The review of links of a story as it is now, of those that can be reviewed. */
export function reviewOf(
  { effective }: AssuranceState,
  storyId: string,
  links: readonly StoryTrace[],
): Reviewed[] {
  const { fingerprint } = effective.node(storyId) ?? {};
  if (fingerprint === undefined) return [];
  return links.flatMap(({ id }) => (id === null ? [] : [{ id, fingerprint }]));
}

function suspectBelow({ effective, coverage }: AssuranceState, id: string): StoryCoverage[] {
  const { at, incoming } = effective.index;
  const { of } = coverage();
  const found = new Set<StoryCoverage>();
  const inheriting = new Set([id]);
  for (const above of inheriting) {
    for (const { type, from } of incoming[at.get(above) ?? -1] ?? []) {
      const below = type === 'refines' || type === 'derives' ? of(from) : undefined;
      if (below?.status !== 'suspect') continue;
      if (below.inherited) inheriting.add(from);
      else found.add(below);
    }
  }
  return [...found];
}

/**
 * Who may settle an edit that is open: whoever edits may rebase one that is in conflict; under review
 * an owner decides the others.
 */
export function settlerOf(
  state: EditState,
  { editPolicy }: Pick<Settings, 'editPolicy'>,
): Capability {
  return editPolicy === 'review' && state !== 'conflicted' ? 'project:owner' : 'srs:edit';
}

export function nameFor({ id, title }: Pick<NextStory, 'id' | 'title'>): string {
  return onOneLine(title) || onOneLine(id);
}
