// The tests of a requirement: how each went of late, and since when it fails.
import { commitName, testName } from '../../core/format.ts';
import { href } from '../../core/route.ts';
import { Strip } from '../../parts/charts.tsx';
import { OutcomeIcon, StatusIcon } from '../../parts/status.tsx';
import { Time } from '../../parts/text.tsx';
import type { Story } from './answers.ts';
import { Part } from './panel-part.tsx';

const SHOWN = 12;

export function Tests({ story: { id, coverage } }: { story: Story }) {
  const tests = coverage?.tests ?? [];
  const needs = coverage?.needs.filter(({ state }) => state === 'justified') ?? [];
  return (
    <Part title="Tests" count={tests.length}>
      {tests
        .slice(0, SHOWN)
        .map(({ kind, id: testId, name, result, strip, failingSince, ...test }) => (
          <div key={testId} class="test">
            <OutcomeIcon outcome={result ?? 'not run'} />
            <div class="grow">
              <TestLink
                kind={kind}
                id={testId}
                name={testName(name ?? testId)}
                runId={strip.at(-1)?.runId}
              />
              <span class="line small">
                <Strip outcomes={strip} />
                {failingSince && (
                  <a class="link" href={href('runs', failingSince.runId)}>
                    fails since {commitName(failingSince.commit)} <Time at={failingSince.at} />
                  </a>
                )}
                {test.stale && <span class="second">passed an older text</span>}
                {test.quarantined && <span class="second">in quarantine</span>}
                {test.state !== 'valid' && <span class="second">link {test.state}</span>}
              </span>
            </div>
          </div>
        ))}
      {tests.length > SHOWN && (
        <a class="link small" href={href('matrix', [], { storyId: id })}>
          and {tests.length - SHOWN} more
        </a>
      )}
      {needs.map(({ need, reason }) => (
        <p key={need} class="note">
          <StatusIcon status="justified" size="small" />
          <span>
            Needs no {need}: {reason}
          </span>
        </p>
      ))}
      {tests.length === 0 && needs.length === 0 && (
        <p class="second small">
          No test verifies it. Put <code>[{id}]</code> into a test's name and report it, or link
          one.
        </p>
      )}
    </Part>
  );
}

interface TestLinkProps {
  kind: string;
  id: string;
  name: string;
  /** Its last run: a command has no page of its own. */
  runId: string | undefined;
}

function TestLink({ kind, id, name, runId }: TestLinkProps) {
  const address = kind === 'test' ? href('tests', id) : runId && href('runs', runId);
  if (address === undefined)
    return (
      <span class="mono small">
        {name} <span class="faint">{kind}</span>
      </span>
    );
  return (
    <a class="link mono small" href={address}>
      {name}
    </a>
  );
}
