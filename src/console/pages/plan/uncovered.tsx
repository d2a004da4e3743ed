// Requirements that a plan does not reach, by why.
import { Card } from '../../parts/layout.tsx';
import { StoryLink } from '../../parts/text.tsx';
import type { Draft } from './ask.ts';

type Story = Draft['uncovered'][number];

const WHYS: Record<Story['why'], string> = {
  over_budget: 'over the budget',
  not_selected: 'not of this strategy',
  filtered: 'filtered out',
  quarantined: 'in quarantine',
  disabled: 'command disabled',
  inherited: 'by what refines them',
  justified: 'justified without a test',
  no_command: 'no command runs a test of them',
  unknown_story: 'not a requirement',
};

const SHOWN = 30;

export function Uncovered({ uncovered }: { uncovered: Story[] }) {
  if (uncovered.length === 0) return null;
  const byWhy = Map.groupBy(uncovered, ({ why }) => why);
  return (
    <Card title="Not reached by this plan">
      <div class="inside stack">
        {[...byWhy].map(([why, stories]) => (
          <details key={why}>
            <summary>
              <b>{stories.length}</b> {WHYS[why]}
            </summary>
            <p class="line">
              {stories.slice(0, SHOWN).map(({ storyId }) => (
                <StoryLink key={storyId} id={storyId} />
              ))}
              {stories.length > SHOWN && `and ${stories.length - SHOWN} more`}
            </p>
          </details>
        ))}
      </div>
    </Card>
  );
}
