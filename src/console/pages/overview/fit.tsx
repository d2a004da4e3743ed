// The verdict in words, and the figures of all stories behind it.
import type { Overview } from '../../../assurance/overview/model.ts';
import { counted, percent } from '../../core/format.ts';
import { addressOf } from '../../core/links.ts';
import { href } from '../../core/route.ts';
import { StatusBar } from '../../parts/layout.tsx';
import { STATUSES, type Status, StatusIcon } from '../../parts/status.tsx';

type Reason = Overview['fit']['reasons'][number];

const WORDS: Record<Reason['rule'], (count: number) => string> = {
  failing: (count) => `${counted(count, 'requirement')} ${count === 1 ? 'fails' : 'fail'}`,
  uncovered: (count) => `${count} ${count === 1 ? 'has' : 'have'} no test`,
  suspect: (count) => `${count} changed after ${count === 1 ? 'its' : 'their'} tests were linked`,
  stale: (count) => `${count} passed on an older text only`,
  unexecuted: (count) => `${count} never ran`,
  justified: (count) => `${count} ${count === 1 ? 'has' : 'have'} a reason in place of a test`,
  passing: (count) => `${count} passed and ${count === 1 ? 'was' : 'were'} not judged`,
  validated: (count) => `${count} ${count === 1 ? 'is' : 'are'} validated`,
  no_stories: () => 'there is no requirement',
  no_results: () => 'nothing was run or judged',
  min_coverage: () => 'too few requirements are covered',
  new_failures: (count) => counted(count, 'test newly fails', 'tests newly fail'),
  flaky_tests: () => 'too many tests are flaky',
  blockers: (count) => counted(count, 'blocking issue is open', 'blocking issues are open'),
  audit_errors: (count) => counted(count, 'error in the sources', 'errors in the sources'),
  suspect_verdicts: (count) => counted(count, 'verdict no longer holds', 'verdicts no longer hold'),
};

export function Fit({ overview }: { overview: Overview }) {
  const { fit, summary, revision } = overview;
  const { statuses, inherited, stories } = summary;
  const counts = Object.fromEntries(
    STATUSES.map((status) => [status, statuses[status].count]),
  ) as Record<Status, number>;
  const listOf = (status: Status) => href('matrix', [], { status });
  const isEmpty = stories.total === 0;
  const passed = fit.verdict === 'passed';
  return (
    <section
      class={`card fit ${isEmpty ? 'unexecuted' : passed ? 'passing' : 'failing'}`}
      aria-label="Fit to ship"
    >
      {isEmpty ? (
        <>
          <p class="verdict">
            <em>Nothing to ship:</em> the project has no requirement yet.
          </p>
          <p class="second">
            <a class="link" href={href('sources')}>
              Import a folder
            </a>{' '}
            of Markdown, ReqIF, StrictDoc or another format, or type <code>pqrs import docs</code>.
          </p>
        </>
      ) : (
        <p class="verdict" data-verdict={fit.verdict}>
          <em>{passed ? 'Fit to ship' : 'Not fit to ship'}</em>
          {passed ? (
            `: nothing stands against it by the gate ${fit.gate}.`
          ) : (
            <Reasons reasons={fit.reasons} />
          )}
        </p>
      )}
      <p class="second small">
        {counts.passing + counts.validated} of {counted(stories.total, 'requirement')} pass,{' '}
        {counts.validated} of them judged on the text of today.{' '}
        {stories.inherited > 0 &&
          `${stories.inherited} take the worst status of what refines them. `}
        Revision {revision.number}
        {revision.overlays > 0 &&
          ` with ${counted(revision.overlays, 'edit or addition', 'edits and additions')}`}
        .
      </p>
      {!isEmpty && <StatusBar counts={counts} addressOf={listOf} />}
      <ul class="legend">
        {STATUSES.map((status) => (
          <li key={status}>
            <a href={listOf(status)}>
              <b>{counts[status]}</b>
              <span>
                <StatusIcon status={status} size="small" /> {status}
              </span>
              <small>
                {percent(statuses[status].share)}
                {inherited[status].count > 0 && `, ${inherited[status].count} inherited`}
              </small>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Reasons({ reasons }: { reasons: Reason[] }) {
  const [last, ...others] = [...reasons].reverse();
  const linked = ({ rule, count, link }: Reason) => (
    <a key={rule} href={addressOf(link)}>
      {WORDS[rule](count)}
    </a>
  );
  return (
    <>
      {': '}
      {others.reverse().map((reason, index) => [index > 0 && ', ', linked(reason)])}
      {others.length > 0 && ', and '}
      {last && linked(last)}.
    </>
  );
}
