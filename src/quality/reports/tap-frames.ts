// The subtests of a TAP report: what each level planned and holds, and the results that wait for
// the name of the subtest that they stand in, which may come after them.

import { type StoryLinks, unique } from '../story-links.ts';
import { looksLikeFile, plainFile } from './files.ts';
import type { ReaderContext, ReportResult } from './model.ts';
import type { Problems } from './problems.ts';
import { boundedName, boundedPath } from './text.ts';

export interface Frame {
  /** Null until it is known. */
  name: string | null;
  planned: number | null;
  first: number;
  points: number;
  /** The highest number that a point gave itself. */
  highest: number;
  /** Results at its level and below that failed. */
  failing: number;
  parent: Frame | null;
}

/** The result of a point, before it is known where it stands. */
export type Placed = Omit<ReportResult, 'path' | 'file' | 'storyIds'>;

export interface Frames {
  readonly current: Frame;
  depth(): number;
  open(name: string | null): void;
  /** Ends the innermost; its name where that was not known. */
  close(name: string | null): Frame;
  /** Takes a result of the innermost level. */
  add(result: Placed): void;
  /** Hands out what still waits. */
  flush(): void;
}

/** Starts with the level of the report itself. */
export function createFrames({ emit, problems, links }: ReaderContext): Frames {
  let current = frameIn(null, '');
  let waiting: { result: Placed; frame: Frame }[] = [];
  let unnamed = 0;

  return {
    get current() {
      return current;
    },
    depth: () => {
      let depth = 0;
      for (let frame = current.parent; frame !== null; frame = frame.parent) depth += 1;
      return depth;
    },
    open: (name) => {
      if (name === null) unnamed += 1;
      current = frameIn(current, name);
    },
    close: (name) => {
      const closed = current;
      if (closed.parent === null) return closed;
      if (closed.name === null) {
        closed.name = name ?? '';
        unnamed -= 1;
      }
      closed.parent.failing += closed.failing;
      current = closed.parent;
      notePlan(closed, problems);
      if (unnamed === 0) flush();
      return closed;
    },
    add: (result) => {
      if (result.status === 'failed' || result.status === 'broken') current.failing += 1;
      if (unnamed === 0) emit(placed(result, current, links));
      else waiting.push({ result, frame: current });
    },
    flush,
  };

  function flush(): void {
    const all = waiting;
    waiting = [];
    for (const { result, frame } of all) emit(placed(result, frame, links));
  }
}

function frameIn(parent: Frame | null, name: string | null): Frame {
  return { name, planned: null, first: 1, points: 0, highest: 0, failing: 0, parent };
}

/** Notes where a level does not hold what it planned. */
export function notePlan(frame: Frame, problems: Problems): void {
  const { planned, points, parent, name, highest, first } = frame;
  const where = parent === null ? 'the report' : `the subtest "${(name ?? '').slice(0, 200)}"`;
  if (planned === null) {
    if (parent === null) problems.error('plan_missing', 'no plan: the run may have ended early');
    else if (points > 0) problems.warning('plan_missing', `${where} has no plan`);
  } else if (planned !== points) {
    problems.error('plan_mismatch', `${where} planned ${planned} tests and holds ${points}`);
  } else if (highest > first + planned - 1) {
    problems.error('plan_mismatch', `${where} has test ${highest} beyond its plan`);
  }
}

function placed(result: Placed, frame: Frame, links: StoryLinks): ReportResult {
  const names: string[] = [];
  for (let at: Frame | null = frame; at !== null; at = at.parent) names.unshift(at.name ?? '');
  const at = names.findIndex(looksLikeFile);
  const file = at === -1 ? null : boundedName(plainFile(names[at] ?? ''));
  const path = boundedPath(at === -1 ? names : names.toSpliced(at, 1));
  const storyIds = unique([result.name, ...path].flatMap(links.inName));
  const { name, line, ...rest } = result;
  return { name, path, file, line, ...rest, storyIds };
}
