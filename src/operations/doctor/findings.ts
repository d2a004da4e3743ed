// What the doctor finds, one by one.

const REPAIR = 'pqrs doctor --repair';
const RESTORE =
  'restore a backup (pqrs restore); what it lacks may be read from this database still';
const DERIVED = `${REPAIR} makes graphs, audits and catalogs again; put others back from a backup, or send them again`;
const KEY = 'put it back from a backup of the keys, or run pqrs keys rotate';

/** How bad each is, and what to do. */
const CODES = {
  database_missing: ['error', 'put it back, or restore a backup'],
  database_damaged: ['error', RESTORE],
  database_newer: ['error', 'use the version that last served this folder'],
  folder_identity: ['error', 'put together what belongs together'],
  migrations_pending: ['info', 'the next start applies it, after a copy is set aside'],
  foreign_key: ['error', RESTORE],
  counter_wrong: ['warning', 'report it: what it counts is sound'],
  search_wrong: ['warning', `${REPAIR} makes the index again`],
  file_damaged: ['error', DERIVED],
  file_missing: ['error', DERIVED],
  file_without_row: ['warning', `${REPAIR} moves it to files/trash, with --sweep however many`],
  file_unknown: ['info', 'move it elsewhere'],
  temporary_file: ['info', `${REPAIR} removes it`],
  key_missing: ['error', KEY],
  key_damaged: ['error', KEY],
  permissions: ['warning', `${REPAIR} sets it`],
  disk_low: ['error', 'make room, or lower PQRS_FREE_DISK_BYTES'],
  check_failed: ['error', 'mend what it says, and run it again'],
} as const satisfies Record<string, readonly ['error' | 'warning' | 'info', string]>;

export type Code = keyof typeof CODES;

export interface Finding {
  code: Code;
  severity: 'error' | 'warning' | 'info';
  /** What it is about: a path in the data folder, or a row. */
  subject: string;
  detail: string;
  repair: string;
}

const MAX_OF_CODE = 10_000;

/** The findings of an inspection: of each code the first ones. */
export class Findings {
  readonly list: Finding[] = [];
  readonly #counts = new Map<Code, number>();

  add(code: Code, subject: string, detail: string): void {
    const count = (this.#counts.get(code) ?? 0) + 1;
    this.#counts.set(code, count);
    if (count > MAX_OF_CODE) return;
    const [severity, repair] = CODES[code];
    this.list.push({ code, severity, subject, detail, repair });
  }

  has(code: Code): boolean {
    return this.#counts.has(code);
  }
}
