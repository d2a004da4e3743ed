// Which version of a needs.json is read, of the several that one file may hold.
import { textValue } from './front-matter.ts';
import { type JsonDocument, noteFields, noteRepeats } from './json-document.ts';
import type { JsonMember } from './json-text.ts';
import { isEmpty } from './needs-json-fields.ts';
import { shown } from './needs-json-reading.ts';
import type { FileNotes } from './source-result.ts';

/** What a file and a version of it have: beside the needs only what the tool notes of them. */
const FILE_FIELDS = new Set(['created', 'current_version', 'project', 'versions']);
const VERSION_FIELDS = new Set([
  ...['created', 'creator', 'needs', 'needs_amount', 'needs_schema', 'needs_defaults_removed'],
  ...['filters', 'filters_amount'],
]);

/** Whether an object with such keys is a file of needs. */
export function holdsNeeds(has: (key: string) => boolean): boolean {
  return has('versions') || (has('needs') && has('current_version'));
}

/** The version of a file that is current. */
export interface CurrentVersion {
  /** The fields of the file by their names. */
  top: ReadonlyMap<string, JsonMember>;
  /** What it is called; empty for a project without versions. */
  key: string;
  /** The same, as a sentence may show it. */
  name: string;
  /** Its fields by their names. */
  version: ReadonlyMap<string, JsonMember>;
  /** The object that holds its needs. */
  needs: JsonMember;
  /** What the file calls its project; null where it does not. */
  project: string | null;
}

function membersByKey(members: readonly JsonMember[]): Map<string, JsonMember> {
  const last = new Map<string, JsonMember>();
  for (const member of members) last.set(member.key, member);
  return last;
}

function valueIn(json: JsonDocument, member: JsonMember | undefined): unknown {
  return member && json.exactValue(member);
}

/**
 * Finds the version that is current: as the file says, else the last one it holds.
 *
 * @returns null where there is none with needs, which is noted
 */
export function readVersion(json: JsonDocument, notes: FileNotes): CurrentVersion | null {
  const file = json.members();
  noteFields(file, FILE_FIELDS, 'The file', json, notes);
  const top = membersByKey(file);
  const versions = top.get('versions');
  if (!versions || !json.isObject(versions)) {
    notes.fail(versions ? json.line(versions.at) : 1, 'The file has no "versions" with needs.');
    return null;
  }
  const all = json.members(versions.start);
  noteRepeats(all, 'The versions', json, notes);
  const said = valueIn(json, top.get('current_version'));
  const current = textValue(said);
  // A project without a version has one that is named with an empty text.
  const named =
    all.findLast(({ key }) => key === said) ?? all.findLast(({ key }) => key === current);
  const chosen = named ?? all.at(-1);
  if (!chosen) {
    notes.fail(json.line(versions.at), 'The file has no version.');
    return null;
  }
  const line = json.line(chosen.at);
  const name = nameOf(chosen.key);
  if (!named) {
    const says =
      current !== null
        ? `There is no version ${nameOf(current)}`
        : isEmpty(said)
          ? 'The file names no current version'
          : `"current_version" is no text: ${shown(said)}`;
    notes.note('missing_version', line, `${says}; ${name} is read, the last one.`, {
      severity: 'warning',
    });
  }
  const others = all.filter((one) => one !== chosen);
  const [first] = others;
  if (first) {
    const names = others.slice(0, 20).map(({ key }) => nameOf(key));
    const more = others.length > 20 ? ` and ${others.length - 20} more` : '';
    const detail = `Only version ${name} is read, and not ${names.join(', ')}${more}.`;
    notes.note('other_versions', json.line(first.at), detail);
  }
  const fields = json.members(chosen.start);
  noteFields(fields, VERSION_FIELDS, `Version ${name}`, json, notes);
  const version = membersByKey(fields);
  const needs = version.get('needs');
  const title = valueIn(json, top.get('project'));
  const project = textValue(title);
  if (project === null && !isEmpty(title)) {
    const detail = `"project" of the file is no text: ${JSON.stringify(title).slice(0, 100)}`;
    notes.lose('invalid_field', json.line(top.get('project')?.at ?? 0), detail);
  }
  if (needs && json.isObject(needs)) return { top, key: chosen.key, name, version, needs, project };
  if (needs) notes.fail(json.line(needs.at), `"needs" of version ${name} is no object.`);
  else notes.fail(line, `Version ${name} has no "needs".`);
  return null;
}

function nameOf(version: string): string {
  if (version.trim() === '') return JSON.stringify(version.slice(0, 100));
  return version.length > 100 ? `${version.slice(0, 100)}…` : version;
}
