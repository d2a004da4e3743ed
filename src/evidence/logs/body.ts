// The body of `POST /system-logs`: an entry, a list of them, or one a line.

import { invalid } from '../../errors.ts';
import { type BodyReader, entriesBody } from '../../http/api/body.ts';
import { parseTime } from '../../model/time.ts';
import { LogEntryBody, type LogEntryInput } from './model.ts';

/** An entry that is to be written; `at` in milliseconds since the epoch. */
export type LogEntryWish = Omit<LogEntryInput, 'at'> & { at?: number };

const entries = entriesBody(LogEntryBody, (limits) => limits.logBatchEntries);

/** Reads entries. */
export const logEntriesBody: BodyReader<LogEntryWish[]> = {
  ...entries,
  check(value, limits) {
    const inputs = entries.check(value, limits);
    if (inputs.length === 0) throw invalid('', 'must have at least one entry');
    return inputs.map(({ at, ...rest }, index) => {
      if (at === undefined) return rest;
      return { ...rest, at: parseTime(Array.isArray(value) ? `/${index}/at` : '/at', at) };
    });
  },
};
