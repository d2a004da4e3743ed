// One word, one shape, one colour for each status, everywhere.
import type { ComponentChildren, JSX } from 'preact';

/** The statuses of a story, the worst first: the order of the API. */
export const STATUSES = [
  'failing',
  'uncovered',
  'suspect',
  'stale',
  'unexecuted',
  'justified',
  'passing',
  'validated',
] as const;

export type Status = (typeof STATUSES)[number];

export const MEANING: Record<Status, string> = {
  failing: 'a test of it fails',
  uncovered: 'no test and no reason why',
  suspect: 'its text changed after the link',
  stale: 'passed on an older text',
  unexecuted: 'its tests never ran',
  justified: 'no test, with a reason',
  passing: 'passes, not judged yet',
  validated: 'passes, and a person said so',
};

/** What stands in a cell that is too small for a shape. */
export const LETTER: Record<Status, string> = {
  failing: 'F',
  uncovered: 'U',
  suspect: '?',
  stale: 'S',
  unexecuted: 'N',
  justified: 'J',
  passing: 'P',
  validated: 'V',
};

const SHAPE: Record<Status, JSX.Element> = {
  failing: (
    <>
      <path class="fill" d="M5.2 1h5.6L15 5.2v5.6L10.8 15H5.2L1 10.8V5.2z" />
      <path class="mark" d="m5.6 5.6 4.8 4.8m0-4.8-4.8 4.8" />
    </>
  ),
  uncovered: <circle class="line" cx="8" cy="8" r="6.2" stroke-dasharray="2.9 2" />,
  suspect: (
    <>
      <path class="fill" d="M8 1.2 15.2 14H.8z" />
      <path class="mark" d="M8 5.8v3.6m0 2.2v.1" />
    </>
  ),
  stale: (
    <>
      <circle class="line" cx="8" cy="8" r="6.1" />
      <path class="line" d="M8 4.6V8l2.4 1.7" />
    </>
  ),
  unexecuted: (
    <>
      <circle class="line" cx="8" cy="8" r="6.1" />
      <path class="line" d="M5.4 8h5.2" />
    </>
  ),
  justified: (
    <>
      <path class="fill" d="m8 .9 7.1 7.1L8 15.1.9 8z" />
      <path class="mark" d="M5.6 7h4.8M5.6 9.4h4.8" />
    </>
  ),
  passing: (
    <>
      <circle class="fill" cx="8" cy="8" r="7" />
      <path class="mark" d="m4.9 8.2 2.1 2.2 4.1-4.5" />
    </>
  ),
  validated: (
    <>
      <path class="fill" d="M8 .8 14.3 3v5c0 3.6-2.6 6.2-6.3 7.4C4.3 14.2 1.7 11.6 1.7 8V3z" />
      <path class="mark" d="m5 7.9 2.1 2.2 4-4.4" />
    </>
  ),
};

interface Sized {
  size?: 'small' | 'large';
}

/** The shape of a status; it carries the status as its name. */
export function StatusIcon({ status, size }: { status: Status } & Sized) {
  return <Shape status={status} name={status} meaning={MEANING[status]} size={size} />;
}

/** How a run, a test or an item ended, by the shape of the status that says the same. */
const OUTCOME_SHAPE: Record<string, Status> = {
  passed: 'passing',
  failed: 'failing',
  broken: 'uncovered',
  running: 'stale',
  lost: 'suspect',
  cancelled: 'justified',
};

export function OutcomeIcon({ outcome, size }: { outcome: string } & Sized) {
  return <Shape status={OUTCOME_SHAPE[outcome] ?? 'unexecuted'} name={outcome} size={size} />;
}

export const SEVERITIES = ['blocker', 'critical', 'major', 'minor', 'trivial'] as const;

const SEVERITY_SHAPE: Record<string, Status> = {
  blocker: 'failing',
  critical: 'failing',
  error: 'failing',
  fatal: 'failing',
  major: 'suspect',
  warn: 'suspect',
  warning: 'suspect',
};

/** The severity of an issue or a finding, the level of a log entry. */
export function SeverityIcon({ severity, size }: { severity: string } & Sized) {
  return <Shape status={SEVERITY_SHAPE[severity] ?? 'unexecuted'} name={severity} size={size} />;
}

/** A status with its word, or with what stands in its place. */
export function StatusTag({ status, children }: { status: Status; children?: ComponentChildren }) {
  return (
    <span class={`tag ${status}`}>
      <StatusIcon status={status} size="small" />
      {children ?? status}
    </span>
  );
}

interface ShapeProps extends Sized {
  status: Status;
  name: string;
  meaning?: string;
}

function Shape({ status, name, meaning, size = undefined }: ShapeProps) {
  return (
    <svg class={`status ${status} ${size ?? ''}`} viewBox="0 0 16 16" role="img" aria-label={name}>
      <title>{meaning ? `${name}: ${meaning}` : name}</title>
      {SHAPE[status]}
    </svg>
  );
}
