// Backups and what is made of them: archives that any tar unpacks, folders that share contents, and
// restores that trust nothing.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { TAR_END, tarHeader, tarPadding } from '../../src/operations/backup/archive.ts';
import { backUp, runDue } from '../../src/operations/backup/backups.ts';
import { requireSound } from '../../src/operations/backup/copy-database.ts';
import { unpaced } from '../../src/operations/backup/files.ts';
import { BackupError, type Manifest } from '../../src/operations/backup/manifest.ts';
import { restoreBackup, verifyBackup } from '../../src/operations/backup/restore.ts';
import { sealKeys } from '../../src/operations/backup/sealed-keys.ts';
import { type Instance, openInstance } from '../support/instance.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { measureBackup } from './backup-load.ts';

const PASSPHRASE = 'correct horse battery';
const hooks = { pace: unpaced, onProgress: () => {} };
const folder = temporaryFolder('backups');
const archive = join(folder, 'backup.tar');
let instance: Instance;
let token: string;
let issueId: string;

beforeAll(async () => {
  instance = await openInstance();
  token = (await instance.makeProject('default')).token;
  issueId = await fileIssue({ instance, token }, 'Has files');
  for (const content of ['one', 'two', 'three'])
    await attach({ instance, token }, issueId, content);
  await backUp(instance.evidence, { kind: 'file', path: archive }, { paced: false });
});

afterAll(() => instance.close());

interface Owned {
  instance: Instance;
  token: string;
}

async function post<T>({ instance, token }: Owned, path: string, body: string, headers: object) {
  const answer = await instance.fetch(`/api/issues${path}`, {
    ...{ token, method: 'POST', body },
    headers: headers as Record<string, string>,
  });
  expect(answer.status).toBe(201);
  return (await answer.json()) as T;
}

async function fileIssue(owned: Owned, title: string): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  return (await post<{ id: string }>(owned, '', JSON.stringify({ title }), headers)).id;
}

async function attach(owned: Owned, id: string, content: string): Promise<string> {
  const disposition = 'attachment; filename="a.txt"';
  const headers = { 'content-type': 'text/plain', 'content-disposition': disposition };
  const made = await post<{ sha256: string }>(owned, `/${id}/attachments`, content, headers);
  return made.sha256;
}

function restore(path: string, target: string, more: object = {}) {
  return restoreBackup({ path, target, newKeys: true, freeDiskBytes: 0, ...more }, hooks);
}

const sha256 = (content: string) => createHash('sha256').update(content).digest('hex');
const fileOf = (hash: string) => `files/${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash}`;

describe('an archive [PQRS-90]', () => {
  test('is listed and unpacked by the tar of the system', async () => {
    const listed = Bun.spawnSync(['tar', '-tf', archive]);
    expect(listed.exitCode).toBe(0);
    const names = listed.stdout.toString().trim().split('\n');
    expect(names.slice(0, 2)).toEqual(['pqrs.db', 'settings.json']);
    expect(names.at(-1)).toBe('manifest.json');
    const into = join(folder, 'untarred');
    mkdirSync(into);
    expect(Bun.spawnSync(['tar', '-xf', archive, '-C', into]).exitCode).toBe(0);
    const { entries } = JSON.parse(readFileSync(join(into, 'manifest.json'), 'utf8')) as Manifest;
    expect(entries.map(({ path }) => path)).toEqual(names.slice(0, -1));
    for (const { path, sha256, bytes } of entries) {
      const content = readFileSync(join(into, path));
      expect(content.byteLength).toBe(bytes);
      expect(createHash('sha256').update(content).digest('hex')).toBe(sha256);
    }
    expect(readFileSync(join(into, fileOf(sha256('two'))), 'utf8')).toBe('two');
    await requireSound(join(into, 'pqrs.db'), 'integrity_check');
  });

  test('is for its owner alone, and holds no key and no token', () => {
    expect(statSync(archive).mode & 0o077).toBe(0);
    const bytes = readFileSync(archive, 'latin1');
    const keys = join(instance.evidence.config.dataDir, 'keys');
    for (const name of readdirSync(keys))
      expect(bytes).not.toContain(readFileSync(join(keys, name), 'latin1'));
    expect(bytes).not.toContain(token);
  });

  test('restores into a folder that answers the same', async () => {
    const target = join(folder, 'same');
    expect(await restore(archive, target)).toMatchObject({ files: 3, keys: 'made', missing: [] });
    expect(statSync(target).mode & 0o077).toBe(0);
    const copy = await openInstance({}, { dataDir: target });
    for (const path of ['/api/issues', `/api/issues?id=${issueId}`, '/api/projects']) {
      const [one, other] = await Promise.all(
        [instance, copy].map(async (each) => (await each.fetch(path, { token })).text()),
      );
      expect(withoutLinks(other!)).toBe(withoutLinks(one!));
    }
    const shown = (await (await copy.fetch(`/api/issues?id=${issueId}`, { token })).json()) as {
      attachments: { url: string }[];
    };
    expect(await (await copy.fetch(shown.attachments[0]!.url)).text()).toBe('one');
    await copy.close();
  });

  test('is never restored over what is there', async () => {
    const target = join(folder, 'used');
    mkdirSync(target);
    writeFileSync(join(target, 'mine'), 'mine');
    await expect(restore(archive, target)).rejects.toThrow(BackupError);
    expect(readdirSync(target)).toEqual(['mine']);
  });

  test('takes the place of an older one only when it is whole', async () => {
    const path = join(folder, 'daily.tar');
    copyFileSync(archive, path);
    // What a killed process has left.
    writeFileSync(`${path}.partial`, 'left');
    await backUp(instance.evidence, { kind: 'file', path }, { paced: false });
    expect(existsSync(`${path}.partial`)).toBe(false);
    const before = readFileSync(path);
    const floor = instance.evidence.limits.freeDiskBytes;
    instance.evidence.limits.freeDiskBytes = Number.MAX_SAFE_INTEGER;
    const full = backUp(instance.evidence, { kind: 'file', path }, { paced: false });
    await expect(full).rejects.toThrow(BackupError);
    instance.evidence.limits.freeDiskBytes = floor;
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(existsSync(`${path}.partial`)).toBe(false);
  });
});

function withoutLinks(text: string): string {
  return text.replace(/"\/api\/files\/[^"]*"/g, '"link"');
}

type Added = { path: string; content?: string; type?: string; link?: string };

/** An archive with further entries before its manifest. */
function archiveWith(name: string, ...added: Added[]): string {
  const path = join(folder, name);
  const bytes = readFileSync(archive);
  const at = bytes.lastIndexOf('manifest.json\0');
  writeFileSync(path, bytes.subarray(0, at));
  for (const entry of added) appendFileSync(path, entryBytes(entry));
  appendFileSync(path, bytes.subarray(at));
  return path;
}

function entryBytes({ path, content = '', type = '0', link = '' }: Added): Buffer {
  const header = Buffer.from(tarHeader(path, Buffer.byteLength(content)));
  header.write(type, 156);
  header.write(link, 157);
  header.fill(' ', 148, 156);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, Buffer.from(content), tarPadding(Buffer.byteLength(content))]);
}

describe('a hostile or damaged archive is refused [PQRS-90]', () => {
  const other = sha256('other');
  const tar = (...added: Added[]) => archiveWith('hostile.tar', ...added);
  const toSecret = { type: '2', link: '/etc/passwd' };
  const manifestAt = () => readFileSync(archive).lastIndexOf('manifest.json\0');
  const HOSTILE: [string, () => string][] = [
    ['a path upwards', () => tar({ path: '../escaped', content: 'x' })],
    ['an absolute path', () => tar({ path: '/tmp/pqrs-escaped', content: 'x' })],
    ['dots in a content', () => tar({ path: `files/../ab/${other}` })],
    ['a link', () => tar({ path: 'settings2', ...toSecret })],
    ['a link named as a content', () => tar({ path: fileOf(other), ...toSecret })],
    ['a folder', () => tar({ path: 'files', type: '5' })],
    ['one path twice', () => tar({ path: 'pqrs.db', content: 'x' })],
    ['what is in no manifest', () => tar({ path: fileOf(other), content: 'other' })],
    [
      'bytes that were altered',
      () => altered((bytes) => bytes.write('Three', bytes.indexOf('three', 1024))),
    ],
    ['a header that was altered', () => altered((bytes) => bytes.writeUInt8(7, 120))],
    ['no end', () => cut(TAR_END.byteLength)],
    ['no manifest', () => cut(statSync(archive).size - manifestAt())],
    ['half of it', () => cut(Math.floor(statSync(archive).size / 2))],
    ['bytes behind its end', () => altered(() => {}, 'x')],
    ['no tar at all', () => altered((bytes) => bytes.fill('not a tar'))],
  ];

  function altered(alter: (bytes: Buffer) => void, behind = ''): string {
    const path = join(folder, 'altered.tar');
    const bytes = readFileSync(archive);
    alter(bytes);
    writeFileSync(path, Buffer.concat([bytes, Buffer.from(behind)]));
    return path;
  }

  function cut(by: number): string {
    const path = join(folder, 'cut.tar');
    copyFileSync(archive, path);
    truncateSync(path, statSync(path).size - by);
    return path;
  }

  for (const [name, make] of HOSTILE) {
    test(name, async () => {
      const path = make();
      const place = join(folder, `hostile-${name.replaceAll(' ', '-')}`);
      mkdirSync(place);
      await expect(restore(path, join(place, 'target'))).rejects.toThrow(BackupError);
      expect(readdirSync(place)).toEqual([]);
      await expect(verifyBackup({ path }, hooks.pace, hooks.onProgress)).rejects.toThrow(
        BackupError,
      );
      expect(existsSync(join(folder, 'escaped'))).toBe(false);
      expect(existsSync('/tmp/pqrs-escaped')).toBe(false);
    });
  }
});

describe('the folder of scheduled backups [PQRS-90]', () => {
  const contents = (path: string) =>
    readdirSync(join(path, 'content'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.includes('/'),
    );
  const manifests = (path: string) => readdirSync(path).filter((name) => name.endsWith('.json'));

  test('shares contents, keeps so many, and removes what none names', async () => {
    const path = join(folder, 'scheduled');
    const make = () => backUp(instance.evidence, { kind: 'folder', path, keep: 2 }, {});
    await make();
    const first = contents(path);
    const gone = await attach({ instance, token }, issueId, 'gone soon');
    await make();
    // The database is another one, and one file came.
    expect(contents(path).length).toBe(first.length + 2);
    expect(contents(path)).toContain(`${gone.slice(0, 2)}/${gone}`);
    await removeAttachment(gone);
    await make();
    await make();
    expect(manifests(path)).toHaveLength(2);
    expect(contents(path)).not.toContain(`${gone.slice(0, 2)}/${gone}`);
    expect(readdirSync(path)).not.toContain('backup.partial');
    for (const at of manifests(path))
      await verifyBackup({ path, at }, hooks.pace, hooks.onProgress);
    const [cut = ''] = contents(path).filter((name) => name.endsWith(sha256('one')));
    truncateSync(join(path, 'content', cut), 1);
    const verified = verifyBackup({ path }, hooks.pace, hooks.onProgress);
    await expect(verified).rejects.toThrow(BackupError);
    // What is there and has another size is stored anew.
    await make();
    await verifyBackup({ path }, hooks.pace, hooks.onProgress);
  });

  test('is made when it is due, restored each week, and shown by readiness', async () => {
    const path = join(folder, 'due');
    const flags = { 'backup-dir': path, 'backup-every': '12h', 'backup-keep': '3' };
    const due = await openInstance(flags);
    const project = await due.makeProject('default');
    const checks = async () => {
      const answer = await due.fetch('/api/ready', { token: project.token });
      return ((await answer.json()) as { checks: Record<string, object[]> }).checks;
    };
    expect(await checks()).toMatchObject({
      'backup:age': [{ status: 'warn', observedValue: null }],
      'backup:drill': [{ status: 'warn', observedValue: null }],
    });
    expect(await runDue(due.evidence)).toBe(true);
    expect(await checks()).toMatchObject({
      'backup:age': [{ status: 'pass', observedUnit: 'ms' }],
      'backup:drill': [{ status: 'pass', observedUnit: 'ms' }],
    });
    expect(readdirSync(path).sort()).toEqual([expect.stringMatching(/^backup-/), 'content']);
    await runDue(due.evidence);
    expect(manifests(path)).toHaveLength(1);
    due.pass(13 * 3_600_000);
    await runDue(due.evidence);
    expect(manifests(path)).toHaveLength(2);
    const editor = await due.makeToken(project.id, ['srs:edit']);
    const shown = async (token: string) => {
      const answer = await due.fetch('/api/projects?include=backups', { token });
      return ((await answer.json()) as { items: { backups?: object }[] }).items[0]?.backups;
    };
    const made = { target: 'folder', bytes: expect.any(Number), missing: 0 };
    const restoredAt = expect.any(String);
    expect(await shown(project.token)).toMatchObject({ made: [made, made], restoredAt });
    expect(await shown(editor.text)).toBeUndefined();
    // A drill finds what a backup that takes it as it is does not.
    for (const name of contents(path)) truncateSync(join(path, 'content', name), 0);
    due.pass(8 * 24 * 3_600_000);
    rmSync(join(path, 'content'), { recursive: true });
    mkdirSync(join(path, 'content'));
    const [newest = ''] = manifests(path).sort().reverse();
    const said = JSON.parse(readFileSync(join(path, newest), 'utf8')) as Manifest;
    writeFileSync(
      join(path, newest),
      JSON.stringify({ ...said, createdAt: new Date(due.evidence.clock()).toISOString() }),
    );
    expect(await runDue(due.evidence)).toBe(false);
    expect((await checks())['backup:drill']).toContainEqual(
      expect.objectContaining({ status: 'warn', output: expect.stringContaining('gone') }),
    );
    await due.close();
  });

  async function removeAttachment(hash: string): Promise<void> {
    const shown = (await (await instance.fetch(`/api/issues?id=${issueId}`, { token })).json()) as {
      attachments: { id: string; sha256: string }[];
    };
    const id = shown.attachments.find((one) => one.sha256 === hash)?.id;
    const answer = await instance.fetch(`/api/issues/${issueId}`, {
      ...{ token, method: 'PATCH', body: JSON.stringify({ removeAttachments: [id] }) },
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(200);
  }
});

describe('keys [PQRS-90]', () => {
  test('come along under a passphrase alone', async () => {
    const keys = join(instance.evidence.config.dataDir, 'keys');
    const sealedKeys = (await sealKeys(keys, PASSPHRASE)).toString('base64');
    const path = join(folder, 'with-keys.tar');
    await backUp(instance.evidence, { kind: 'file', path }, { sealedKeys, paced: false });
    const job = { path, newKeys: false, freeDiskBytes: 0 };
    for (const [name, given] of [
      ['unsaid', undefined],
      ['wrong', 'correct horse'],
    ] as const) {
      const target = join(folder, `keys-${name}`);
      const passphrase = async () => given;
      await expect(restoreBackup({ ...job, target }, { ...hooks, passphrase })).rejects.toThrow(
        BackupError,
      );
      expect(existsSync(target)).toBe(false);
    }
    const target = join(folder, 'keys-right');
    const passphrase = async () => PASSPHRASE;
    const done = await restoreBackup({ ...job, target }, { ...hooks, passphrase });
    expect(done.keys).toBe('restored');
    expect(existsSync(join(target, 'keys.sealed'))).toBe(false);
    for (const name of readdirSync(keys))
      expect(readFileSync(join(target, 'keys', name))).toEqual(readFileSync(join(keys, name)));
  });

  test('are made anew only when that is asked for', async () => {
    const target = join(folder, 'keyless');
    expect((await restore(archive, target, { newKeys: false })).keys).toBe('none');
    const names = readdirSync(join(target, 'keys')).filter((name) => name !== 'folder.id');
    expect(names).toEqual([]);
  });
});

test('files that are gone or damaged are said, and hide no others', async () => {
  const lost = await openInstance();
  const owned = { instance: lost, token: (await lost.makeProject('default')).token };
  const issue = await fileIssue(owned, 'Lost');
  for (const content of ['kept', 'missing', 'damaged']) await attach(owned, issue, content);
  const { dataDir } = lost.evidence.config;
  rmSync(join(dataDir, fileOf(sha256('missing'))));
  writeFileSync(join(dataDir, fileOf(sha256('damaged'))), 'DAMAGED');
  const expected = [
    { sha256: sha256('damaged'), why: 'damaged' },
    { sha256: sha256('missing'), why: 'missing' },
  ];
  for (const target of [
    { kind: 'file' as const, path: join(folder, 'lost.tar') },
    { kind: 'folder' as const, path: join(folder, 'lost'), keep: 1 },
  ]) {
    const made = await backUp(lost.evidence, target, { paced: false });
    expect(made.missing.toSorted((a, b) => (a.why < b.why ? -1 : 1)) as object[]).toEqual(expected);
    const into = join(folder, `lost-${target.kind}`);
    await restore(target.path, into);
    expect(existsSync(join(into, fileOf(sha256('kept'))))).toBe(true);
    expect(existsSync(join(into, fileOf(sha256('damaged'))))).toBe(false);
  }
  await lost.close();
});

test('a backup beside a load loses nothing, and restores to the same answers [PQRS-90]', async () => {
  const figures = await measureBackup({
    ...{ issues: 400, files: 20, fileBytes: 100_000, connections: 8, seconds: 1 },
  });
  expect(figures.complaints).toEqual([]);
  expect(figures.different).toEqual([]);
  expect(figures.compared).toBeGreaterThan(30);
  expect(figures.restored.files).toBeGreaterThan(20);
}, 120_000);
