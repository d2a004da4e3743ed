// What is drawn of a neighbourhood: a box for each node, and at the root one for each test, issue and
// verdict; of the others those are counted.
import type { Neighbour, Neighbourhood } from '../../../assurance/graph/model.ts';
import { counted, testName, words } from '../../core/format.ts';
import { href } from '../../core/route.ts';
import type { Status } from '../../parts/status.tsx';

export interface Box {
  key: string;
  title: string;
  detail: string;
  address: string;
  kind: 'node' | 'test' | 'issue' | 'verdict';
  /** Whose shape it has: a status, or an outcome. */
  shape: string | null;
  /** Whose colour it has. */
  status: Status | null;
  isRoot: boolean;
}

export interface Line {
  from: string;
  to: string;
  /** What it says, for who sees no line. */
  type: string;
  isSuspect: boolean;
}

export interface Picture {
  boxes: Box[];
  lines: Line[];
}

const STATUS_OF_OUTCOME: Record<string, Status> = {
  passed: 'passing',
  failed: 'failing',
  broken: 'uncovered',
};

const STATUS_OF_SEVERITY: Record<string, Status> = {
  blocker: 'failing',
  critical: 'failing',
  major: 'suspect',
};

/** @param addressOf - the neighbourhood of another node */
export function pictureOf(
  { root, nodes, edges }: Neighbourhood,
  addressOf: (id: string) => string,
): Picture {
  const known = new Set(nodes.map(({ id }) => id));
  const center = nodes.find(({ id }) => id === root);
  const hanging = center ? hangingOn(center) : { boxes: [], lines: [] };
  return {
    boxes: [...nodes.map((node) => nodeBox(node, root, addressOf)), ...hanging.boxes],
    lines: [
      ...edges.filter(({ from, to }) => known.has(from) && known.has(to)).map(lineOf),
      ...hanging.lines,
    ],
  };
}

/** What others rest on stands on the left of them. */
function lineOf({ from, to, type, status }: Neighbourhood['edges'][number]): Line {
  const isSuspect = status !== 'ok';
  return type === 'contains'
    ? { from, to, type, isSuspect }
    : { from: to, to: from, type, isSuspect };
}

function nodeBox(node: Neighbour, root: string, addressOf: (id: string) => string): Box {
  const { id, kind, title, status } = node;
  const isRoot = id === root;
  return {
    key: id,
    title: title || id,
    detail: [id, ...(isRoot ? [] : [hangingText(node)]), leftOutText(node)]
      .filter(Boolean)
      .join(' · '),
    address: isRoot ? href('requirements', id) : addressOf(id),
    kind: 'node',
    shape: status ?? (kind === 'document' || kind === 'section' ? null : 'not counted'),
    status,
    isRoot,
  };
}

export function hangingText({ tests = [], issues = [], leftOut }: Neighbour): string {
  const [testCount, issueCount] = [tests.length + leftOut.tests, issues.length + leftOut.issues];
  const texts = [
    testCount > 0 && counted(testCount, 'test'),
    issueCount > 0 && counted(issueCount, 'issue'),
  ];
  return texts.filter(Boolean).join(', ');
}

function leftOutText({ leftOut: { up, down } }: Neighbour): string {
  return up + down > 0 ? `${up + down} more` : '';
}

function hangingOn({ id, tests = [], issues = [], validation }: Neighbour): Picture {
  const boxes: Box[] = [];
  const lines: Line[] = [];
  const add = (box: Omit<Box, 'isRoot'>, type: string, isSuspect: boolean) => {
    boxes.push({ ...box, isRoot: false });
    lines.push({ from: id, to: box.key, type, isSuspect });
  };
  for (const { id: testId, name, kind, result, state, stale, run } of tests)
    add(
      {
        key: `test ${testId}`,
        title: testName(name ?? testId),
        detail: [kind, result ?? 'not run', stale && 'on an older text'].filter(Boolean).join(', '),
        address: kind === 'test' ? href('tests', testId) : href('runs', run?.id ?? []),
        kind: 'test',
        shape: result ?? 'not run',
        status: STATUS_OF_OUTCOME[result ?? ''] ?? 'unexecuted',
      },
      'verified by',
      state !== 'valid',
    );
  for (const { id: issueId, number, title, severity, status } of issues)
    add(
      {
        key: `issue ${issueId}`,
        title: `#${number} ${title}`,
        detail: `${severity}, ${words(status)}`,
        address: href('issues', issueId),
        kind: 'issue',
        shape: severity,
        status: STATUS_OF_SEVERITY[severity] ?? 'unexecuted',
      },
      'issue',
      false,
    );
  if (validation) {
    const { verdict, by, standing } = validation;
    add(
      {
        key: 'verdict',
        title: `${verdict} by ${by === 'system' ? 'the service' : (by.label ?? 'somebody')}`,
        detail: `verdict, ${standing}`,
        address: href('transfer', [], { storyId: id }),
        kind: 'verdict',
        shape: verdict,
        status: standing === 'valid' ? (STATUS_OF_OUTCOME[verdict] ?? 'unexecuted') : 'suspect',
      },
      'judged',
      standing !== 'valid',
    );
  }
  return { boxes, lines };
}
