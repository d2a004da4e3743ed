// What needs a person, the most urgent first, each with what can be done about it.
import type { Attention } from '../../../assurance/overview/model.ts';
import { counted, words } from '../../core/format.ts';
import { addressOf } from '../../core/links.ts';
import { href } from '../../core/route.ts';
import { Card } from '../../parts/layout.tsx';
import { type Status, StatusIcon } from '../../parts/status.tsx';

interface Kind {
  status: Status;
  title(count: number): string;
  action: string;
}

const KINDS: Record<Attention['kind'], Kind> = {
  failing: {
    status: 'failing',
    title: (count) => `${counted(count, 'requirement fails', 'requirements fail')}`,
    action: 'See what fails',
  },
  urgent_issues: {
    status: 'failing',
    title: (count) => counted(count, 'urgent issue is open', 'urgent issues are open'),
    action: 'Read issues',
  },
  uncovered: {
    status: 'uncovered',
    title: (count) => counted(count, 'requirement has no test', 'requirements have no test'),
    action: 'Cover or justify',
  },
  verdicts: {
    status: 'suspect',
    title: (count) => counted(count, 'verdict no longer holds', 'verdicts no longer hold'),
    action: 'Judge again',
  },
  renamed: {
    status: 'suspect',
    title: (count) =>
      counted(count, 'judged requirement was renamed', 'judged requirements were renamed'),
    action: 'Carry verdicts',
  },
  suspect: {
    status: 'suspect',
    title: (count) =>
      counted(
        count,
        'requirement changed after it was linked',
        'requirements changed after they were linked',
      ),
    action: 'Review links',
  },
  stale: {
    status: 'stale',
    title: (count) =>
      counted(
        count,
        'requirement passed on an older text only',
        'requirements passed on an older text only',
      ),
    action: 'Plan a run',
  },
  source_errors: {
    status: 'failing',
    title: (count) => counted(count, 'error in the sources', 'errors in the sources'),
    action: 'Show findings',
  },
  unexecuted: {
    status: 'unexecuted',
    title: (count) => counted(count, 'requirement never ran', 'requirements never ran'),
    action: 'Plan a run',
  },
  proposals: {
    status: 'suspect',
    title: (count) =>
      counted(count, 'proposal waits for a decision', 'proposals wait for a decision'),
    action: 'Decide',
  },
  no_backup: { status: 'unexecuted', title: () => 'No backup was ever made', action: 'How to' },
};

export function AttentionList({ attention }: { attention: Attention[] }) {
  return (
    <Card title="What needs you, most urgent first">
      <ol class="attention">
        {attention.map((one) => {
          const { status, title, action } = KINDS[one.kind];
          const address = one.action === 'plan_runs' ? href('plan') : addressOf(one.link);
          return (
            <li key={one.kind} data-kind={one.kind}>
              <StatusIcon status={status} size="large" />
              <div>
                <h3>
                  <a href={addressOf(one.link)}>{title(one.count)}</a>
                </h3>
                <p class="second small">{detailOf(one)}</p>
              </div>
              <a class="button compact" href={address}>
                {action}
              </a>
            </li>
          );
        })}
        {attention.length === 0 && <li>Nothing.</li>}
      </ol>
    </Card>
  );
}

function detailOf({ items, documents, count }: Attention): string {
  if (documents.length > 1)
    return `${documents.map(({ title, count: own }) => `${own} in ${title}`).join(', ')}${documents.length > 2 ? ' lead the list' : ''}.`;
  const named = items.map(({ id, number, title, severity, status }) =>
    number === undefined
      ? `${id ?? ''} ${title}`.trim()
      : `#${number} ${title} (${severity}, ${words(status ?? '')})`,
  );
  const rest = count - items.length;
  return `${named.join('; ')}${rest > 0 && named.length > 0 ? `; and ${rest} more` : ''}`;
}
