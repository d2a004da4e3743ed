// What comes next for a requirement: each step of its workflow as a link, a form or a request.

import type { Operation } from '../../../access/access.ts';
import { api, dataOf, type Reply, useAction } from '../../core/api.ts';
import { words } from '../../core/format.ts';
import { href } from '../../core/route.ts';
import { useMay } from '../../frame/caller.ts';
import { Refusal } from '../../parts/states.tsx';
import type { Story, Workflow } from './answers.ts';
import { JustifyForm, LinkForm } from './forms.tsx';

type Action = Workflow['next'][number];

interface Step {
  operation: Operation;
  title: string;
  /** Where it is done; or `send`, what is sent; else a form opens here. */
  address?: (story: Story, action: Action) => string;
  send?: (body: never) => Promise<Reply>;
  done?: string;
}

const STEPS: Record<string, Step> = {
  edit_story: {
    operation: 'POST /story-edits',
    title: 'Edit it',
    address: ({ id }) => href('requirements', id, { edit: 1 }),
  },
  import_sources: {
    operation: 'POST /projects',
    title: 'See the finding',
    address: ({ source }) => href('sources', [], { path: source.path }),
  },
  review_trace: {
    operation: 'POST /project-traceability',
    title: 'Links are still right',
    send: (body) => api()['project-traceability'].post(body),
    done: 'The links hold for this text.',
  },
  add_trace: { operation: 'POST /project-traceability', title: 'Link a test' },
  justify_need: { operation: 'POST /project-traceability', title: 'Justify' },
  create_test_command: {
    operation: 'POST /test-commands',
    title: 'Add a manual test',
    send: (body) => api()['test-commands'].post(body),
    done: 'A manual test verifies it; it has not run.',
  },
  plan_tests: {
    operation: 'POST /agent/plan',
    title: 'Plan its tests',
    address: ({ id }) => href('plan', [], { storyId: id }),
  },
  end_quarantine: {
    operation: 'PATCH /test-commands',
    title: 'See its tests',
    address: () => href('tests'),
  },
  resolve_issue: {
    operation: 'PATCH /issues/:id',
    title: 'See the issue',
    address: (_, { path }) =>
      href('issues', decodeURIComponent(path.slice(path.lastIndexOf('/') + 1))),
  },
  carry_verdict: {
    operation: 'POST /validation-transfer',
    title: 'Carry the verdict',
    send: (body) => api()['validation-transfer'].post(body),
    done: 'The verdict was carried.',
  },
  record_verdict: { operation: 'POST /validation-transfer', title: 'Record a verdict' },
};

interface NextProps {
  story: Story;
  workflow: Workflow;
  open: string | null;
  changed(note: string): void;
}

/** The form of a verdict opens below, beside those that there are. */
export function Next({ story, workflow, open, changed }: NextProps) {
  const actions = workflow.next.filter(({ action }) => action in STEPS);
  return (
    <>
      <div class="line next">
        {actions.map((action) => (
          <NextStep key={action.action} story={story} action={action} changed={changed} />
        ))}
      </div>
      {open === 'add_trace' && <LinkForm story={story} changed={changed} />}
      {open === 'justify_need' && <JustifyForm story={story} changed={changed} />}
    </>
  );
}

interface StepProps {
  story: Story;
  action: Action;
  changed(note: string): void;
}

function NextStep({ story, action, changed }: StepProps) {
  const step = STEPS[action.action] as Step;
  const may = useMay(step.operation);
  const send = useAction(async () => {
    if (step.send) await dataOf(step.send(action.body as never));
    changed(step.done ?? words(action.action));
  });
  if (!may || (step.send && !action.body)) return null;
  if (step.send)
    return (
      <>
        <button
          type="button"
          class="button compact"
          title={action.why}
          disabled={send.busy}
          onClick={() => void send.run()}
        >
          {step.title}
        </button>
        <Refusal problem={send.problem} />
      </>
    );
  const address =
    step.address?.(story, action) ?? href('requirements', story.id, { do: action.action });
  return (
    <a class="button compact" title={action.why} href={address}>
      {step.title}
    </a>
  );
}
