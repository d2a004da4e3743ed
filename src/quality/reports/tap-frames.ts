// The subtests of a TAP report: what each level planned and holds, and the results that wait for
// the name of the subtest that they stand in, which may come after them.

import { looksLikeFile, plainFile } from './files.ts';
import type { ReaderContext, ReportResult } from './model.ts';
import type { Problems } from './problems.ts';
import { type StoryLinks, unique } from './story-links.ts';
import { boundedName, boundedPath } from './text.ts';

export interface Frame {
  /** Null until it is known. */
  name: string | null;
  /** What its name links to; null until it is asked for. */
  storyIds: readonly string[] | null;
  planned: number | null;
  first: number;
  points: number;
  /** The highest number that a point gave itself. */
  highest: number;
  /** Results at its level and below that failed. */
  failing: number;
  parent: Frame | null;
}

/** The result of a point with what its own name links to, before it is known where it stands. */
export type Placed = Omit<ReportResult, 'path' | 'file'>;

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
  return {
    name,
    storyIds: null,
    planned: null,
    first: 1,
    points: 0,
    highest: 0,
    failing: 0,
    parent,
  };
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
  const frames: Frame[] = [];
  for (let at: Frame | null = frame; at !== null; at = at.parent) frames.unshift(at);
  const held = frames.find((one) => looksLikeFile(nameOf(one)));
  const file = held === undefined ? null : boundedName(plainFile(nameOf(held)));
  const suites = frames.filter((one) => one !== held);
  const path = boundedPath(suites.map(nameOf));
  const storyIds = unique([...result.storyIds, ...suites.flatMap((one) => linkedBy(one, links))]);
  const { name, line, ...rest } = result;
  return { name, path, file, line, ...rest, storyIds };
}

function nameOf({ name }: Frame): string {
  return name ?? '';
}

/** Once for all the results that stand in it. */
function linkedBy(frame: Frame, links: StoryLinks): readonly string[] {
  frame.storyIds ??= links.inName(nameOf(frame));
  return frame.storyIds;
}
