// What the doctor finds, one by one.

export type Severity = 'error' | 'warning' | 'info';

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

const MAX_OF_CODE = 10_000;

export class Findings {
  readonly list: Finding[] = [];
  readonly #counts = new Map<Code, number>();

  add(code: Code, subject: string, detail: string, repair: string): void {
    const count = (this.#counts.get(code) ?? 0) + 1;
    this.#counts.set(code, count);
    if (count <= MAX_OF_CODE)
      this.list.push({ code, severity: SEVERITIES[code], subject, detail, repair });
  }

  end(): Finding[] {
    for (const [code, count] of this.#counts) {
      const more = count - MAX_OF_CODE;
      if (more <= 0) continue;
      const detail = `and ${more} more`;
      this.list.push({ code, severity: SEVERITIES[code], subject: '', detail, repair: '' });
    }
    return this.list;
  }
}

export const REPAIRS = 'pqrs doctor --repair';
