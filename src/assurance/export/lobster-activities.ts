// What verifies the stories as LOBSTER reads it (`lobster-act-trace`, version 3): tests, commands
// and scenarios with their references to the requirements of the other document.
import type { AssuranceState, TargetResult } from '../state.ts';
import { nameOf } from '../target-names.ts';
import { targetKey } from '../target-results.ts';
import type { ListedTrace } from '../trace-rows.ts';
import { documentOf, keyOf, locationOf, tagText, versionOf } from './lobster.ts';

const VERIFYING: ReadonlySet<string> = new Set(['test', 'command', 'scenario']);

/** The document of some links: one activity for each target that verifies a story. */
export function writeLobsterActivities(
  state: AssuranceState,
  traces: readonly ListedTrace[],
): string {
  const byTarget = Map.groupBy(
    traces.filter(({ trace }) => trace.type === 'verifies' && VERIFYING.has(trace.target.kind)),
    ({ trace }) => targetKey(trace.target),
  );
  const scenarios = new Map(state.catalog.scenarios.map((scenario) => [scenario.key, scenario]));
  const data = [...byTarget.values()].flatMap((links) => {
    const target = links[0]?.trace.target;
    if (!target) return [];
    const scenario = target.kind === 'scenario' ? scenarios.get(target.id) : undefined;
    return [
      {
        tag: `${target.kind} ${tagText(target.id)}`,
        location: locationOf(scenario ?? { path: '', line: 0 }),
        name: nameOf(state, target) ?? target.id,
        ...{ messages: [], just_up: [], just_down: [], just_global: [] },
        refs: [...new Set(links.map((link) => referenceOf(state, link)))],
        ...{ framework: 'pqrs', kind: target.kind },
        status: statusOf(state.results.of(target)),
      },
    ];
  });
  return documentOf('lobster-act-trace', data);
}

/** A reference to the text of the story that the link was made for. */
function referenceOf({ effective }: AssuranceState, { storyId, trace, row }: ListedTrace): string {
  const today = effective.node(storyId)?.fingerprint;
  const fingerprint = trace.state === 'suspect' ? row?.fingerprint : (today ?? row?.fingerprint);
  return fingerprint === undefined ? keyOf(storyId) : `${keyOf(storyId)}@${versionOf(fingerprint)}`;
}

/** Never null, which LOBSTER takes for ok. */
function statusOf(result: TargetResult | undefined): string {
  if (result?.status === 'passed') return 'ok';
  return result?.status === 'failed' || result?.status === 'broken' ? 'fail' : 'not run';
}
