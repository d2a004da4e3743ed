// What the doctor finds, one by one.

export type Severity = 'error' | 'warning' | 'info';

/** Everything that the doctor looks for, by its code. */
export const SEVERITIES = {
  database_missing: 'error',
  database_damaged: 'error',
  database_newer: 'error',
  folder_identity: 'error',
  migrations_pending: 'info',
  foreign_key: 'error',
  counter_wrong: 'warning',
  search_wrong: 'warning',
  file_damaged: 'error',
  file_missing: 'error',
  file_without_row: 'warning',
  file_unknown: 'info',
  temporary_file: 'info',
  key_missing: 'error',
  key_damaged: 'error',
  permissions: 'warning',
  disk_low: 'error',
  check_failed: 'error',
} as const satisfies Record<string, Severity>;

export type Code = keyof typeof SEVERITIES;

export interface Finding {
  code: Code;
  severity: Severity;
  /** What it is about: a path in the data folder, or a row. */
  subject: string;
  detail: string;
  /** What to do. */
  repair: string;
}

export interface Findings {
  add(code: Code, subject: string, detail: string, repair: string): void;
  list: Finding[];
}

/** Of each code; one more says how many there are beside them. */
const MAX_OF_CODE = 10_000;

/** Makes an empty list. */
export function createFindings(): Findings & { end(): Finding[] } {
  const list: Finding[] = [];
  const counts = new Map<Code, number>();
  return {
    list,
    add(code, subject, detail, repair) {
      const count = (counts.get(code) ?? 0) + 1;
      counts.set(code, count);
      if (count <= MAX_OF_CODE)
        list.push({ code, severity: SEVERITIES[code], subject, detail, repair });
    },
    end() {
      for (const [code, count] of counts) {
        const more = count - MAX_OF_CODE;
        if (more <= 0) continue;
        const severity = SEVERITIES[code];
        list.push({ code, severity, subject: '', detail: `and ${more} more`, repair: '' });
      }
      return list;
    },
  };
}

/** How a repair that `--repair` makes is announced. */
export const REPAIRS = 'pqrs doctor --repair';
