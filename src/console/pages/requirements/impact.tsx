// What an edit would reach, while it is written.
import type { ComponentChildren } from 'preact';
import type { Impact } from '../../../assurance/impact/impact.ts';
import { counted, duration, grouped } from '../../core/format.ts';
import { href } from '../../core/route.ts';
import { Refusal } from '../../parts/states.tsx';
import { StatusIcon } from '../../parts/status.tsx';
import { StoryLink } from '../../parts/text.tsx';
import type { Story } from './answers.ts';
import type { Editing } from './editing.ts';

export function ImpactPanel({ editing, story }: { editing: Editing; story: Story }) {
  const { impact, asking, changed, problem, theirs } = editing;
  return (
    <div class="impact" aria-live="polite" aria-busy={asking}>
      <h2>If you save this</h2>
      <p class="second small">Asked of the server while you write; nothing is stored.</p>
      {!changed && <p class="second">Change the text to see what it reaches.</p>}
      {changed && theirs && <p class="second">Settle first what others have changed.</p>}
      {changed && !impact && !problem && !theirs && <p class="faint">Asking</p>}
      <Refusal problem={problem} />
      {impact && !problem && <Figures impact={impact} story={story} />}
    </div>
  );
}

const LISTED = 8;

function Figures({ impact, story }: { impact: Impact; story: Story }) {
  const { stories, validations, traces, testsToRerun, testCommands, scenarios, routes, names } =
    impact;
  const resting = stories.filter(({ distance }) => distance > 0);
  const targetOf = new Map(story.coverage?.traces.map(({ id, target }) => [id, target.id]));
  return (
    <>
      <Figure count={stories.length} what={touchedText(stories.length, resting.length)}>
        <Listed
          of={resting}
          show={({ id }) => (
            <>
              <StoryLink id={id} /> {names[id]}
            </>
          )}
        />
      </Figure>
      <Figure
        count={validations.length}
        what={validations.length === 1 ? 'verdict is lost' : 'verdicts are lost'}
      >
        <Listed
          of={validations}
          show={({ storyId, becomes }) => (
            <>
              <StatusIcon status="suspect" size="small" /> <StoryLink id={storyId} /> becomes{' '}
              {becomes}
            </>
          )}
        />
        {story.validation && story.validation.standing !== 'valid' && (
          <p class="second small">The verdict on this requirement holds no longer as it is.</p>
        )}
      </Figure>
      <Figure
        count={traces.length}
        what={`${traces.length === 1 ? 'link turns' : 'links turn'} suspect`}
      >
        <Listed
          of={traces}
          show={({ id, becomes }) => (
            <>
              <StatusIcon status="suspect" size="small" /> {becomes}:{' '}
              <span class="mono">{targetOf.get(id) ?? id}</span>
            </>
          )}
        />
      </Figure>
      <Figure
        count={testsToRerun.length}
        what={`${testsToRerun.length === 1 ? 'test has' : 'tests have'} to run again${impact.estimateMs === null ? '' : `, about ${duration(impact.estimateMs)}`}`}
      >
        <Listed of={testsToRerun} show={({ id }) => <span class="mono">{names[id] ?? id}</span>} />
        {testCommands.length > 0 && (
          <a class="link" href={href('plan', [], { storyId: story.id })}>
            by {counted(testCommands.length, 'command')}
            {testCommands.length === 1 && `, ${names[testCommands[0] ?? ''] ?? testCommands[0]}`}
          </a>
        )}
      </Figure>
      <Figure count={scenarios.length + routes.length} what="scenarios and routes">
        <Listed of={[...scenarios, ...routes]} show={(one) => <span class="mono">{one}</span>} />
      </Figure>
    </>
  );
}

function touchedText(count: number, resting: number): string {
  const touched = count === 1 ? 'requirement is touched' : 'requirements are touched';
  return `${touched}: ${resting === 0 ? 'nothing rests on it' : `${grouped(resting)} by resting on it`}`;
}

interface FigureProps {
  count: number;
  what: string;
  children: ComponentChildren;
}

function Figure({ count, what, children }: FigureProps) {
  return (
    <div class={`figure ${count === 0 ? 'faint' : ''}`} data-figure={what.split(' ')[0]}>
      <b>{grouped(count)}</b>
      <div>
        <p>{what}</p>
        {children}
      </div>
    </div>
  );
}

interface ListedProps<T> {
  of: readonly T[];
  show(one: T): ComponentChildren;
}

function Listed<T>({ of, show }: ListedProps<T>) {
  if (of.length === 0) return null;
  return (
    <ul class="small second">
      {of.slice(0, LISTED).map((one, at) => (
        <li key={at}>{show(one)}</li>
      ))}
      {of.length > LISTED && <li>and {grouped(of.length - LISTED)} more</li>}
    </ul>
  );
}
