// Files an issue of a failing test, with what the run says of it.
import { useState } from 'preact/hooks';
import { api, dataOf, useAction } from '../../core/api.ts';
import { testName } from '../../core/format.ts';
import { href } from '../../core/route.ts';
import { Refusal } from '../../parts/states.tsx';
import { SEVERITIES } from '../../parts/status.tsx';
import type { Result, Run } from './ask.ts';

type Severity = (typeof SEVERITIES)[number];

export function FileIssue({ result, run }: { result: Result; run: Run }) {
  const [title, setTitle] = useState(`${testName(result.name)} fails`.slice(0, 300));
  const [severity, setSeverity] = useState<Severity>('major');
  const [filed, setFiled] = useState<{ id: string; number: number }>();
  const file = useAction(async () => {
    const issue = await dataOf(api().issues.post(issueOf(result, run, title, severity)));
    if ('number' in issue) setFiled(issue);
  });
  if (filed)
    return (
      <p role="status">
        Filed as{' '}
        <a class="link" href={href('issues', filed.id)}>
          issue {filed.number}
        </a>
        .
      </p>
    );
  return (
    <form
      class="stack filing"
      onSubmit={(event) => {
        event.preventDefault();
        void file.run();
      }}
    >
      <div class="line">
        <input
          class="input grow"
          aria-label="Title of the issue"
          required
          maxLength={300}
          value={title}
          onInput={(event) => setTitle(event.currentTarget.value)}
        />
        <select
          class="input"
          aria-label="Severity"
          value={severity}
          onChange={(event) => setSeverity(event.currentTarget.value as Severity)}
        >
          {SEVERITIES.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        <button type="submit" class="button primary" disabled={file.busy}>
          File it
        </button>
      </div>
      <Refusal problem={file.problem} />
    </form>
  );
}

function issueOf(result: Result, run: Run, title: string, severity: Severity) {
  const { message, trace, storyIds, file, line } = result;
  const place = file && `${file}${line ? `:${line}` : ''}`;
  const text = [message, place, trace].filter(Boolean).join('\n\n');
  return {
    title,
    severity,
    storyIds: storyIds.slice(0, 100),
    runId: run.id,
    ...(text && { description: text.slice(0, 30_000) }),
    ...(run.environment && { environment: run.environment }),
  };
}
