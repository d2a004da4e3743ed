// What becomes of verdicts, in words, in the order in which a person meets them.
import type { Static } from '@sinclair/typebox';
import type {
  Disposition,
  History as HistoryPage,
  TransferAnswer,
  TransferFilters,
  TransferInput,
  TransferPage,
} from '../../../assurance/validation/model.ts';
import { api, dataOf, type Reply } from '../../core/api.ts';
import type { Status } from '../../parts/status.tsx';

export type Transfer = Static<typeof TransferPage>;
export type Item = Transfer['items'][number];
export type History = Static<typeof HistoryPage>;
export type Done = Static<typeof TransferAnswer>;

interface Kind {
  status: Status;
  name: string;
  means: string;
}

export const KINDS: Record<Disposition, Kind> = {
  transferable: {
    status: 'validated',
    name: 'still hold',
    means: 'All is as it was when it was judged.',
  },
  restored: {
    status: 'passing',
    name: 'hold again',
    means: 'A text that was judged earlier came back.',
  },
  suspect: { status: 'suspect', name: 'suspect', means: 'What it rests on has changed.' },
  suspect_test: {
    status: 'stale',
    name: 'test changed',
    means: 'A test that it went by changed or went.',
  },
  invalidated: { status: 'failing', name: 'invalidated', means: 'Its own text has changed.' },
  renamed: { status: 'justified', name: 'renamed', means: 'Its text is there under another id.' },
  ambiguous: {
    status: 'uncovered',
    name: 'ambiguous',
    means: 'Several may be meant: a person decides.',
  },
  orphaned: { status: 'uncovered', name: 'orphaned', means: 'The requirement is gone.' },
  missing: { status: 'unexecuted', name: 'never judged', means: 'Nobody has said anything yet.' },
};

export const ALL = Object.keys(KINDS) as Disposition[];

/** What a person has to look at: shown where the address names nothing. */
export const OPEN: readonly Disposition[] = [
  ...(['invalidated', 'suspect', 'suspect_test', 'ambiguous', 'renamed', 'restored'] as const),
];

type Verdict = NonNullable<Item['validation']>;
export const VERDICTS: Verdict['verdict'][] = ['passed', 'failed', 'blocked', 'inconclusive'];
export const METHODS: Verdict['method'][] = ['inspection', 'test', 'analysis', 'demonstration'];

export function askTransfer<T = Transfer>(
  query: TransferFilters,
  signal?: AbortSignal,
): Promise<Reply & { data: T | null }> {
  const call = api()['validation-transfer'].get({ query, ...(signal && { fetch: { signal } }) });
  return call as Promise<Reply & { data: T | null }>;
}

/** @throws Problem */
export function send(input: TransferInput): Promise<Done> {
  return dataOf(api()['validation-transfer'].post(input)) as Promise<Done>;
}
