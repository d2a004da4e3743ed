// How the tests of a cell, a row or a column went: a shape each, and the same in words.
import { words } from '../../core/format.ts';
import type { Counts, Outcome } from './filters.ts';

/** The worst first, as the API has them. */
const OUTCOMES: readonly Outcome[] = [
  ...(['failed', 'broken', 'suspect', 'stale', 'unknown', 'skipped', 'notRun'] as const),
  ...(['quarantined', 'passed', 'dangling', 'ok'] as const),
];

const WORDS: Partial<Record<Outcome, string>> = {
  suspect: 'linked for an earlier text',
  stale: 'passed on an older text',
  notRun: 'not run',
  dangling: 'to nothing',
  ok: 'linked',
};

export const LEGEND = {
  tests: ['passed', 'failed', 'broken', 'stale', 'suspect', 'notRun', 'quarantined'],
  documents: ['ok', 'suspect', 'dangling'],
} satisfies Record<string, Outcome[]>;

export function outcomeName(outcome: Outcome): string {
  return WORDS[outcome] ?? words(outcome);
}

export function outcomesOf(counts: Counts): [Outcome, number][] {
  return OUTCOMES.flatMap((outcome): [Outcome, number][] => {
    const count = counts[outcome];
    return count ? [[outcome, count]] : [];
  });
}

/** `1 failed, 2 passed`. */
export function countsText(counts: Counts): string {
  return outcomesOf(counts)
    .map(([outcome, count]) => `${count} ${outcomeName(outcome)}`)
    .join(', ');
}

export function Mark({ outcome }: { outcome: Outcome }) {
  return <i class={`outcome ${outcome}`} />;
}

/** A shape for each test while there is room; else the worst, and how many there are. */
export function Marks({ counts, room }: { counts: Counts; room: number }) {
  const all = outcomesOf(counts);
  const total = all.reduce((sum, [, count]) => sum + count, 0);
  if (total <= room)
    return (
      <>
        {all.flatMap(([outcome, count]) =>
          Array.from({ length: count }, (_, at) => (
            <Mark key={`${outcome}${at}`} outcome={outcome} />
          )),
        )}
      </>
    );
  const [worst] = all;
  return (
    <>
      {worst && <Mark outcome={worst[0]} />}
      {room > 1 && total}
    </>
  );
}

const BAD: readonly Outcome[] = ['failed', 'broken', 'dangling'];

/** How many there are, or how many of them are bad. */
export function Total({ counts }: { counts: Counts }) {
  const all = outcomesOf(counts);
  const sumOf = (some: [Outcome, number][]) => some.reduce((sum, [, count]) => sum + count, 0);
  const bad = sumOf(all.filter(([outcome]) => BAD.includes(outcome)));
  if (bad > 0)
    return (
      <b class="bad">
        {bad} <Mark outcome="failed" />
      </b>
    );
  return <>{sumOf(all)}</>;
}
