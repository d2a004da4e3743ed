// What a needs.json says beside its needs: what is wrong with it, and what is read by nothing.
import type { JsonDocument } from './json-document.ts';
import type { JsonMember } from './json-text.ts';
import { isEmpty } from './needs-json-fields.ts';
import { shown } from './needs-json-reading.ts';
import type { CurrentVersion } from './needs-json-version.ts';
import type { FileNotes } from './source-result.ts';

/** What the tool notes of its own work, of a version. */
const BOOKKEEPING = ['created', 'creator', 'filters', 'filters_amount'];

/**
 * Notes what is wrong with the number of the needs and their defaults.
 *
 * @param amount - how many needs there are
 */
export function noteVersion(
  { version, name }: Pick<CurrentVersion, 'version' | 'name'>,
  amount: number,
  json: JsonDocument,
  notes: FileNotes,
): void {
  const wrong = (member: JsonMember, detail: string) =>
    notes.lose('invalid_field', json.line(member.at), detail);
  const said = version.get('needs_amount');
  const number: unknown = said && json.exactValue(said);
  if (said && typeof number === 'number' && number !== amount) {
    const detail = `Version ${name} is said to have ${number} needs, and has ${amount}.`;
    if (amount < number) notes.lose('amount_mismatch', json.line(said.at), detail);
    else notes.note('amount_mismatch', json.line(said.at), detail);
  } else if (said && typeof number !== 'number' && number !== null) {
    wrong(said, `"needs_amount" of version ${name} is no number: ${shown(number)}`);
  }
  const removed = version.get('needs_defaults_removed');
  const isRemoved: unknown = removed && json.value(removed);
  if (removed && typeof isRemoved !== 'boolean' && isRemoved !== null) {
    const owner = `"needs_defaults_removed" of version ${name}`;
    wrong(removed, `${owner} is not true or false: ${shown(isRemoved)}`);
  }
}

/**
 * Tells in one finding what the tool notes of its own work, which is not kept.
 *
 * @param linesLine - the line of the first `lineno` of a need; null where none has one
 * @param isOwn - whether we wrote the file: then the version's creator and the lines are ours
 */
export function noteBookkeeping(
  { top, version, name }: CurrentVersion,
  linesLine: number | null,
  isOwn: boolean,
  json: JsonDocument,
  notes: FileNotes,
): void {
  const unread: { line: number; what: string }[] = [];
  const look = (fields: ReadonlyMap<string, JsonMember>, field: string, owner: string) => {
    const member = fields.get(field);
    const value: unknown = member && json.value(member);
    const isSaid = value === undefined ? member !== undefined : !isEmpty(value) && value !== 0;
    if (member && isSaid) unread.push({ line: json.line(member.at), what: `"${field}" ${owner}` });
  };
  look(top, 'created', 'of the file');
  for (const field of BOOKKEEPING) {
    if (!isOwn || field !== 'creator') look(version, field, `of version ${name}`);
  }
  if (linesLine !== null && !isOwn) unread.push({ line: linesLine, what: '"lineno" of its needs' });
  const [first] = unread;
  if (!first) return;
  const detail = `What the tool notes of its own work is not kept: ${unread.map(({ what }) => what).join(', ')}.`;
  notes.note('unread_details', first.line, detail);
}
