// Tables of tests, each with its stories and a link to its history.
import { counted, duration, percent, testName } from '../../core/format.ts';
import { href } from '../../core/route.ts';
import { Strip } from '../../parts/charts.tsx';
import { StatusIcon } from '../../parts/status.tsx';
import { StoryLink } from '../../parts/text.tsx';
import type { Flaky, Slowest } from '../runs/ask.ts';

export function TestLink({ test }: { test: { testKey: string; name: string } }) {
  return (
    <a class="mono small" data-row href={href('tests', test.testKey)} title={test.name}>
      {testName(test.name)}
    </a>
  );
}

function Stories({ ids }: { ids: readonly string[] }) {
  return (
    <span class="line nowrap">
      {ids.slice(0, 2).map((id) => (
        <StoryLink key={id} id={id} />
      ))}
      {ids.length > 2 && <span class="faint">+{ids.length - 2}</span>}
    </span>
  );
}

export function FlakyTable({ tests }: { tests: Flaky['items'] }) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Test</th>
          <th scope="col" class="large-only">
            Stories
          </th>
          <th scope="col" class="wide-only">
            Of late
          </th>
          <th scope="col" class="number">
            Failed
          </th>
          <th scope="col" class="number wide-only">
            Did both
          </th>
        </tr>
      </thead>
      <tbody>
        {tests.map((test) => (
          <tr key={test.testKey}>
            <td class="wide">
              <span class="line nowrap">
                <StatusIcon status="suspect" size="small" />
                <span class="cut">
                  <TestLink test={test} />
                </span>
              </span>
            </td>
            <td class="large-only">
              <Stories ids={test.storyIds} />
            </td>
            <td class="wide-only">
              <Strip outcomes={test.strip} />
            </td>
            <td class="number nowrap">
              {test.failed} of {test.runs}
            </td>
            <td class="number nowrap wide-only">{didBoth(test)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Where a test passed and failed: within runs, and on commits over several runs. */
function didBoth({ withinRun, acrossRuns }: Flaky['items'][number]): string {
  const parts = [
    withinRun > 0 && `in ${counted(withinRun, 'run')}`,
    acrossRuns > 0 && `on ${counted(acrossRuns, 'commit')}`,
  ];
  return parts.filter(Boolean).join(', ');
}

export function SlowestTable({ tests }: { tests: Slowest['items'] }) {
  const longest = Math.max(...tests.map(({ time }) => time.share ?? 0), 1e-9);
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Test</th>
          <th scope="col" class="number">
            p50
          </th>
          <th scope="col" class="number large-only">
            p95
          </th>
          <th scope="col" class="number">
            Of all time
          </th>
        </tr>
      </thead>
      <tbody>
        {tests.map((test) => (
          <tr key={test.testKey}>
            <td class="wide">
              <span class="cut block">
                <TestLink test={test} />
              </span>
              <span class="small-bar" aria-hidden="true">
                <i style={{ width: `${(100 * (test.time.share ?? 0)) / longest}%` }} />
              </span>
            </td>
            <td class="number nowrap">{duration(test.p50Ms)}</td>
            <td class="number nowrap second large-only">{duration(test.p95Ms)}</td>
            <td class="number nowrap">{percent(test.time.share)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
