// What is missing, requirement by requirement, each with what can be done about it.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Gap as GapOfStory } from '../../../assurance/coverage/story-coverage.ts';
import type { TraceabilityInput } from '../../../assurance/traceability/model.ts';
import { api, dataOf, type List, type Reply, useAction, useList } from '../../core/api.ts';
import { counted, testName } from '../../core/format.ts';
import { href, type Route } from '../../core/route.ts';
import { useMay } from '../../frame/caller.ts';
import { Card } from '../../parts/layout.tsx';
import { Empty, More, Refusal } from '../../parts/states.tsx';
import { type Status, StatusIcon } from '../../parts/status.tsx';
import { StoryLink } from '../../parts/text.tsx';
import type { Summary } from './filter-bar.tsx';
import { askTraceability, filtersOf } from './filters.ts';

type Gap = Omit<GapOfStory, 'target'> & {
  target: { kind: string; id: string; name: string | null } | null;
};
type Kind = Gap['gap'];

interface Story {
  storyId: string;
  title: string;
  status: Status;
  gaps: Gap[];
}

interface GapPage {
  summary: Summary;
  gaps: Record<Kind | 'stories', number>;
  items: Story[];
  nextCursor: string | null;
}

type GapList = List<Reply & { data: GapPage | null }>;

const KINDS: Record<Kind, (count: number) => string> = {
  failing_test: (count) => counted(count, 'failing test'),
  unmet_need: (count) =>
    counted(count, 'need without a test or a reason', 'needs without a test or a reason'),
  broken_trace: (count) => counted(count, 'link to nothing', 'links to nothing'),
  suspect_trace: (count) => counted(count, 'link to an earlier text', 'links to an earlier text'),
  stale_test: (count) => `${counted(count, 'test')} passed on an older text only`,
  unexecuted_test: (count) => `${counted(count, 'test')} not run`,
  quarantined_test: (count) => `${counted(count, 'test')} in quarantine`,
  nothing_executed: (count) => `${count} not shown by anything that ran`,
};

export function useGaps(route: Route): GapList {
  const filters = filtersOf(route);
  return useList(
    (cursor, signal) =>
      askTraceability<GapPage>({ view: 'gaps', ...filters, ...(cursor && { cursor }) }, signal),
    [JSON.stringify(filters)],
  );
}

export function Gaps({ gaps: { data, items, more, reload } }: { gaps: GapList }) {
  const stories = data?.gaps.stories ?? 0;
  const kinds = Object.entries(KINDS).flatMap(([kind, text]) => {
    const count = data?.gaps[kind as Kind];
    return count ? text(count) : [];
  });
  if (items.length === 0)
    return <Empty title={stories === 0 ? 'Nothing is missing' : 'Nothing of these is missing'} />;
  return (
    <div class="stack">
      <p class="second">
        <b>{counted(stories, 'requirement')}</b> {stories === 1 ? 'has' : 'have'} gaps in all:{' '}
        {kinds.join(', ')}.
      </p>
      <Card title="What is missing">
        <table class="gaps">
          <thead>
            <tr>
              <th scope="col">Requirement</th>
              <th scope="col">What is missing, and what can be done</th>
            </tr>
          </thead>
          <tbody>
            {items.map((story) => (
              <tr key={story.storyId}>
                <td>
                  <span class="line">
                    <StatusIcon status={story.status} />
                    <a href={href('requirements', story.storyId)} data-row>
                      {story.title}
                    </a>
                  </span>
                  <StoryLink id={story.storyId} />
                </td>
                <td>
                  {story.gaps.map((gap, at) => (
                    <GapLine key={at} story={story} gap={gap} done={reload} />
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        <More more={more} />
      </Card>
    </div>
  );
}

interface GapProps {
  story: Story;
  gap: Gap;
  done(): void;
}

function GapLine({ story: { storyId }, gap, done }: GapProps) {
  const [justifying, setJustifying] = useState(false);
  const mayWrite = useMay('POST /project-traceability');
  const mayPlan = useMay('POST /agent/plan');
  const { target, traceId, need } = gap;
  const write = useAction(async (input: TraceabilityInput) => {
    await dataOf(api()['project-traceability'].post(input));
    done();
  });
  const press = (name: string, input: TraceabilityInput) => (
    <button
      type="button"
      class="button compact"
      disabled={write.busy}
      onClick={() => write.run(input)}
    >
      {name}
    </button>
  );
  const plan = mayPlan && (
    <a class="button compact" href={href('plan', [], { storyId })}>
      Plan a run
    </a>
  );
  const test = target?.kind === 'test' && (
    <a class="button compact" href={href('tests', target.id)}>
      See the test
    </a>
  );
  const actions: Record<Kind, ComponentChildren> = {
    failing_test: test || plan,
    unmet_need: mayWrite && !justifying && (
      <button type="button" class="button compact" onClick={() => setJustifying(true)}>
        Justify
      </button>
    ),
    broken_trace: mayWrite && traceId && press('Remove the link', { remove: [traceId] }),
    suspect_trace: mayWrite && traceId && press('It still holds', { review: [traceId] }),
    stale_test: plan,
    unexecuted_test: plan,
    quarantined_test: test,
    nothing_executed: plan,
  };
  return (
    <div class="gap">
      <p class="line">
        <span class="grow">
          {gap.gap === 'unmet_need' ? `No ${need}, and no reason why` : KINDS[gap.gap](1)}
          {target && <small class="mono faint"> {testName(target.name ?? target.id)}</small>}
        </span>
        {actions[gap.gap]}
      </p>
      {justifying && need && (
        <form
          class="line"
          onSubmit={(event) => {
            event.preventDefault();
            const given = new FormData(event.currentTarget as HTMLFormElement).get('reason');
            void write.run({ justify: [{ storyId, need, reason: String(given) }] });
          }}
        >
          <input
            class="input grow"
            name="reason"
            required
            aria-label={`Why ${storyId} needs no ${need}`}
          />
          <button type="submit" class="button compact primary" disabled={write.busy}>
            Justify
          </button>
          <button type="button" class="button compact" onClick={() => setJustifying(false)}>
            Cancel
          </button>
        </form>
      )}
      <Refusal problem={write.problem} />
    </div>
  );
}
