// One result of a run: since when it fails, and opened what it says.
import { useState } from 'preact/hooks';
import { commitName, day, duration, testName } from '../../core/format.ts';
import { go, href } from '../../core/route.ts';
import { useMay } from '../../frame/caller.ts';
import { Strip } from '../../parts/charts.tsx';
import { OutcomeIcon } from '../../parts/status.tsx';
import { StoryLink } from '../../parts/text.tsx';
import type { Result, Run } from './ask.ts';
import { FileIssue } from './file-issue.tsx';

interface ResultRowProps {
  result: Result;
  run: Run;
  startsOpen: boolean;
  /** Of the run with this result opened. */
  address: string;
}

export function ResultRow({ result, run, startsOpen, address }: ResultRowProps) {
  const [open, setOpen] = useState(startsOpen);
  const { status, name, storyIds, strip, flaky } = result;
  const toggle = () => {
    setOpen(!open);
    if (!open) go(address, true);
  };
  return (
    <article class="card result">
      <div class="head">
        <OutcomeIcon outcome={status} />
        <button type="button" class="opens mono" data-row aria-expanded={open} onClick={toggle}>
          {testName(name)}
        </button>
        <span class="stories large-only">
          {storyIds.slice(0, 2).map((storyId) => (
            <StoryLink key={storyId} id={storyId} />
          ))}
        </span>
        {flaky && <span class="tag suspect">flaky</span>}
        <Since result={result} run={run} />
        <span class="wide-only">
          <Strip outcomes={strip} />
        </span>
      </div>
      {open && <Body result={result} run={run} />}
    </article>
  );
}

function isFailing(status: string | undefined): boolean {
  return status === 'failed' || status === 'broken';
}

/** Since when a failing test fails as of today, whatever this run is. */
function Since({ result, run }: { result: Result; run: Run }) {
  const { status, failingSince, strip } = result;
  if (!isFailing(status)) return null;
  if (failingSince === null)
    return strip.at(-1)?.status === 'passed' ? (
      <span class="tag passing">passes by now</span>
    ) : null;
  const { runId, commit, at } = failingSince;
  if (runId === run.id) return <span class="tag failing">newly failing</span>;
  return (
    <a class="tag failing" href={href('runs', runId)}>
      failing since {commitName(commit) || day(at)}
    </a>
  );
}

function Body({ result, run }: { result: Result; run: Run }) {
  const { name, path, message, trace, attempts, file, line, storyIds, testKey } = result;
  const [filing, setFiling] = useState(false);
  const mayFile = useMay('POST /issues');
  const place = file ? `${file}${line ? `:${line}` : ''}` : path.join(' > ');
  return (
    <div class="inside body">
      <p class="second small">{[...path, name].join(' > ')}</p>
      {message && <div class="message">{message}</div>}
      {trace && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys
        <pre class="code trace" tabIndex={0}>
          {trace}
        </pre>
      )}
      {attempts.map((attempt, index) => (
        <div key={index} class="line">
          <OutcomeIcon outcome={attempt.status} size="small" />
          <span>
            try {index + 1}: {attempt.status} {duration(attempt.durationMs)}
          </span>
          {attempt.message && <div class="message grow">{attempt.message}</div>}
        </div>
      ))}
      {!message && !trace && attempts.length === 0 && <p class="second">It says nothing more.</p>}
      <div class="line">
        <span class="small faint grow place">
          <span class="mono">{place}</span> {duration(result.durationMs)}
        </span>
        {storyIds.map((storyId) => (
          <StoryLink key={storyId} id={storyId} />
        ))}
        <a class="button compact" href={href('tests', testKey)}>
          History
        </a>
        {mayFile && isFailing(result.status) && (
          <button
            type="button"
            class="button compact"
            aria-expanded={filing}
            onClick={() => setFiling(!filing)}
          >
            File an issue
          </button>
        )}
      </div>
      {filing && <FileIssue result={result} run={run} />}
    </div>
  );
}
