// The states of an answer: under way, refused, gone, unreachable, empty.
import type { ComponentChildren } from 'preact';
import type { Answer, Problem } from '../core/api.ts';

interface LoadProps<T> {
  answer: Answer<T>;
  children: (data: T) => ComponentChildren;
}

/** What was asked for, as soon as it is there, or the state that stands in its place. */
export function Load<T>({ answer, children }: LoadProps<T>) {
  const { data, problem, loading, reload } = answer;
  if (problem) return <Refused problem={problem} retry={reload} />;
  if (data !== undefined) return <>{children(data)}</>;
  return loading ? <Loading /> : null;
}

function Loading() {
  return (
    <div class="loading" role="status">
      <span class="hidden">Loading</span>
      {[60, 90, 75, 85, 40].map((width) => (
        <i key={width} style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}

/** Why a page or a part of it has nothing to show, and what to do. */
export function Refused({ problem, retry }: { problem: Problem; retry?: () => void }) {
  const { status, title, detail, requestId } = problem;
  return (
    <div class="empty" role="alert" data-problem={problem.code}>
      <h2>{status === 403 ? 'Your token may not see this' : title}</h2>
      <p>{detail}</p>
      {requestId && <p class="mono faint">{requestId}</p>}
      {retry && status !== 403 && status !== 404 && (
        <button type="button" class="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** A write that was refused, beside what was written. */
export function Refusal({ problem }: { problem: Problem | undefined }) {
  if (!problem) return null;
  return (
    <div class="alert failing" role="alert" data-problem={problem.code}>
      <div>
        <b>{problem.title}</b>
        <p>{problem.detail}</p>
        {problem.errors?.map(({ pointer, parameter, detail }) => (
          <p key={`${pointer}${parameter}${detail}`}>
            <code>{pointer ?? parameter}</code> {detail}
          </p>
        ))}
      </div>
    </div>
  );
}

/** Nothing there yet, and how it comes there. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

interface MoreProps {
  more: (() => void) | undefined;
  problem?: Problem | undefined;
}

/** The next page of a list, or why it did not come. */
export function More({ more, problem }: MoreProps) {
  if (!more) return null;
  return (
    <>
      <Refusal problem={problem} />
      <button type="button" class="button more" onClick={more}>
        {problem ? 'Try again' : 'Show more'}
      </button>
    </>
  );
}
