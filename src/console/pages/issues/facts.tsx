// Where it was seen and who cares for it; what the caller may change is a field.
import { type ComponentChildren, Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { dataOf, useAction } from '../../core/api.ts';
import { href } from '../../core/route.ts';
import { Card } from '../../parts/layout.tsx';
import { Refusal } from '../../parts/states.tsx';
import { SEVERITIES } from '../../parts/status.tsx';
import { OutsideLink } from '../../parts/text.tsx';
import type { Issue, Severity } from './answers.ts';
import { type IssueChanges, patchOf } from './changes.tsx';

interface FactsProps {
  issue: Issue;
  mayChange: boolean;
  changed(): void;
}

export function Facts({ issue, mayChange, changed }: FactsProps) {
  const { context, runId, route, url } = issue;
  const change = useAction(async (changes: IssueChanges) => {
    await dataOf(patchOf(issue, changes));
    changed();
  });
  const facts: [name: string, value: ComponentChildren][] = [
    ['Build', issue.build],
    ['Fixed in', issue.fixedInBuild],
    ['Where', issue.environment],
    ['Reporter', issue.reporter],
    ['Route', route && <span class="mono">{route}</span>],
    ['Page', (context?.page?.url ?? url) && <OutsideLink url={`${context?.page?.url ?? url}`} />],
    ['Element', context?.element?.selector && <code>{context.element.selector}</code>],
    [
      'Screen',
      context?.viewport?.width && `${context.viewport.width} × ${context.viewport.height}`,
    ],
    ['Browser', context?.userAgent],
    [
      'Request',
      context?.requestId && (
        <a class="link mono" href={href('logs', [], { q: `"${context.requestId}"` })}>
          {context.requestId}
        </a>
      ),
    ],
    [
      'Run',
      runId && (
        <a class="link mono" href={href('runs', runId)}>
          {runId}
        </a>
      ),
    ],
  ];
  return (
    <Card title="Facts">
      <div class="inside stack">
        {mayChange ? (
          <Fields key={issue.version} issue={issue} busy={change.busy} change={change.run} />
        ) : (
          <dl class="fields">
            <dt>Assignee</dt>
            <dd>{issue.assignee ?? 'nobody'}</dd>
            <dt>Priority</dt>
            <dd>{issue.priority ?? 'none'}</dd>
          </dl>
        )}
        <Refusal problem={change.problem} />
        {change.problem?.status === 412 && (
          <button type="button" class="button" onClick={changed}>
            Show what somebody else made of it
          </button>
        )}
        <dl class="fields">
          {facts.map(([name, value]) =>
            value ? (
              <Fragment key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </Fragment>
            ) : null,
          )}
        </dl>
      </div>
    </Card>
  );
}

interface FieldsProps {
  issue: Issue;
  busy: boolean;
  change(changes: IssueChanges): Promise<boolean>;
}

function Fields({ issue, busy, change }: FieldsProps) {
  const list = (text: string) => [...new Set(text.split(/[\s,]+/).filter(Boolean))];
  return (
    <div class="issue-fields">
      <label class="field">
        Severity
        <select
          class="input"
          value={issue.severity}
          disabled={busy}
          onChange={({ currentTarget }) =>
            void change({ severity: currentTarget.value as Severity })
          }
        >
          {SEVERITIES.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <TextField
        name="Assignee"
        value={issue.assignee ?? ''}
        change={(assignee) => change({ assignee: assignee || null })}
      />
      <TextField
        name="Priority"
        value={issue.priority ?? ''}
        change={(priority) => change({ priority: priority || null })}
      />
      <TextField
        name="Labels"
        value={issue.labels.join(', ')}
        change={(text) => change({ labels: text.split(',').flatMap((one) => one.trim() || []) })}
      />
      <TextField
        name="Requirements"
        value={issue.storyIds.join(', ')}
        change={(text) => change({ storyIds: list(text) })}
      />
    </div>
  );
}

interface TextFieldProps {
  name: string;
  value: string;
  change(text: string): Promise<boolean>;
}

/** Sent when it is left or by Enter; what is refused stays as it was written. */
function TextField({ name, value, change }: TextFieldProps) {
  const [text, setText] = useState(value);
  return (
    <label class="field">
      {name}
      <input
        class="input"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onChange={() => text.trim() !== value && void change(text.trim())}
      />
    </label>
  );
}
