// What the page could tell of the moment: its errors, and what happened before, in order.
import { clock, duration } from '../../core/format.ts';
import { Card } from '../../parts/layout.tsx';
import { SeverityIcon } from '../../parts/status.tsx';
import type { Issue } from './answers.ts';

type Context = Pick<Issue, 'context'>;

export function Errors({ context }: Context) {
  if (!context?.errors?.length) return null;
  return (
    <Card title="Errors">
      <div class="inside stack">
        {context.errors.map(({ type, message, stack }, index) => (
          <div key={index}>
            <p class="message">
              <b>{type ?? 'Error'}</b>: {message}
            </p>
            {stack && (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
              <pre class="code stacktrace" tabIndex={0}>
                {stack}
              </pre>
            )}
          </div>
        ))}
      </div>
    </Card>
  );
}

interface Event {
  at: string;
  kind: string;
  text: string;
  severity?: 'error' | 'warning';
  took?: string;
}

export function Events({ context }: Context) {
  const events = eventsOf(context);
  if (events.length === 0) return null;
  return (
    <Card title="What happened before it" aside="clicks, requests and console, in order">
      <ol class="events">
        {events.map(({ at, kind, text, severity, took }, index) => (
          <li key={index}>
            <span class="mono faint">{at && clock(at)}</span>
            <span class="cut">
              {severity && <SeverityIcon severity={severity} size="small" />} {kind}
            </span>
            <span class="mono">{text}</span>
            <span class="faint">{took}</span>
          </li>
        ))}
      </ol>
    </Card>
  );
}

function eventsOf(context: Issue['context']): Event[] {
  const { console: lines = [], network = [], actions = [] } = context ?? {};
  const all: Event[] = [
    ...actions.map(({ at = '', type = '', selector = '' }) => ({ at, kind: type, text: selector })),
    ...network.map(({ at = '', type, method = type, url = '', status, durationMs, error }) => ({
      at,
      kind: `${method ?? ''} ${status ?? ''}`,
      text: error ? `${url} ${error}` : url,
      took: duration(durationMs),
      ...((error || (status ?? 0) >= 400) && { severity: 'error' as const }),
    })),
    ...lines.map(({ at = '', level = '', message = '' }) => ({
      at,
      kind: level,
      text: message,
      ...(level === 'error' && { severity: 'error' as const }),
      ...(level.startsWith('warn') && { severity: 'warning' as const }),
    })),
  ];
  return all.sort((a, b) => (a.at < b.at ? -1 : 1));
}
