// The command line as a new user types it, in an empty folder, with and without a running server.
import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Administration, TokenView } from '../../src/cli/administration/administration.ts';
import { DRAIN_MS } from '../../src/cli/administration/drain.ts';
import { serveAdministration } from '../../src/cli/administration/socket.ts';
import { runAdministration } from '../../src/cli/administration/with-administration.ts';
import { readConfig } from '../../src/config.ts';
import { takeLock } from '../../src/store/client/lock.ts';
import { FolderInUse } from '../../src/store/errors.ts';
import { openWorkplace, workplaceAt } from '../support/running-executable.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

type Projects = { items: { slug: string; name: string }[] };

const TOKEN = /pqrs_[0-9a-hjkmnp-tv-z]{26}_[0-9a-hjkmnp-tv-z]{52}/;

function get(address: string, path: string, token: string): Promise<Response> {
  return fetch(`${address}${path}`, { headers: { authorization: `Bearer ${token}` } });
}

describe('the first start [PQRS-82]', () => {
  test('prints address, project, where the token is and a request to paste', async () => {
    const place = await openWorkplace('first-start');
    const first = await place.serve();
    expect(first.out()).toContain('project  default');
    expect(first.out()).toContain('pqrs-data/owner.token');
    expect(first.out()).not.toMatch(TOKEN);
    const file = join(place.folder, 'pqrs-data', 'owner.token');
    const token = readFileSync(file, 'utf8').trim();
    expect(token).toMatch(TOKEN);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(place.folder, 'pqrs-data')).mode & 0o777).toBe(0o700);
    expect(statSync(join(place.folder, 'pqrs-data', 'pqrs.db')).mode & 0o777).toBe(0o600);
    expect(statSync(join(place.folder, 'pqrs-data', 'admin.sock')).mode & 0o777).toBe(0o600);
    const request = /curl -H "Authorization: Bearer \$\(cat (\S+)\)" (\S+)/.exec(first.out());
    expect(join(place.folder, request?.[1] ?? '')).toBe(file);
    const answer = await fetch(request?.[2] ?? '', {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer.status).toBe(200);
    expect(((await answer.json()) as Projects).items[0]?.slug).toBe('default');
    expect((await first.stop()).code).toBe(0);

    const second = await place.serve();
    expect(second.out()).not.toMatch(TOKEN);
    expect(second.out()).toContain('pqrs-data/owner.token');
    expect((await get(second.address, '/api/projects', token)).status).toBe(200);
    await second.stop();
  });

  test('prints the token on a terminal, once', async () => {
    const place = await openWorkplace('terminal');
    const printed = async (...args: string[]) => {
      let out = '';
      const child = Bun.spawn([join(place.folder, 'pqrs'), ...args], {
        cwd: place.folder,
        env: { PATH: process.env.PATH ?? '' },
        terminal: {
          data(_, chunk) {
            out += new TextDecoder().decode(chunk);
          },
        },
      });
      expect(await child.exited).toBe(0);
      return out;
    };
    const token = TOKEN.exec(await printed('init'))?.[0] ?? '';
    expect(readFileSync(join(place.folder, 'pqrs-data', 'owner.token'), 'utf8')).toContain(token);
    expect(token).not.toBe('');
    expect(await printed('init')).not.toMatch(TOKEN);
  });

  test('takes slug and data folder from flags, variables and pqrs.toml, in this order [PQRS-83]', async () => {
    const place = await openWorkplace('settings');
    await Bun.write(
      join(place.folder, 'pqrs.toml'),
      'project = "from-file"\ndata_dir = "file-data"\n',
    );
    const served = await place.serve(['--data-dir', 'flag-data'], {
      PQRS_DATA_DIR: 'variable-data',
    });
    expect(existsSync(join(place.folder, 'flag-data'))).toBe(true);
    expect(existsSync(join(place.folder, 'variable-data'))).toBe(false);
    expect(served.out()).toContain('project  from-file');
    await served.stop();
  });

  test('makes nothing where a setting is wrong, and names it [PQRS-83]', async () => {
    const place = await openWorkplace('wrong-setting');
    const slug = 'must be lower-case letters, digits and inner hyphens, 63 at most';
    for (const [args, settings, says] of [
      [['init'], { PQRS_PROJECT: 'Bad Slug' }, `PQRS_PROJECT ${slug}`],
      [['serve', '--project', 'Bad Slug'], {}, `--project ${slug}`],
      [
        ['serve', '--tls-cert', 'none.pem', '--tls-key', 'none.pem'],
        ...[{}, 'PQRS_TLS_CERT names a file that cannot be read'],
      ],
    ] as [string[], Record<string, string>, string][]) {
      expect(await place.run(args, settings)).toEqual({
        ...{ code: 2, out: '', err: `pqrs: ${says}\n` },
      });
    }
    expect(readdirSync(place.folder)).toEqual(['pqrs']);
  });

  test('init makes the folder and stops; a second init changes nothing', async () => {
    const place = await openWorkplace('init');
    const made = await place.run(['init', '--project', 'lab', '--json']);
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(made.out)).toMatchObject({ created: true, project: 'lab' });
    expect(JSON.parse(made.out).token).toMatch(TOKEN);
    const again = await place.run(['init', '--json']);
    expect(again.code).toBe(0);
    expect(JSON.parse(again.out).created).toBe(false);
  });
});

describe('projects and tokens [PQRS-69]', () => {
  test('are made, listed and revoked while a server runs, with effect at once', async () => {
    const place = await openWorkplace('running');
    const served = await place.serve();
    const made = await place.run([
      'token',
      'create',
      '--capability',
      'srs:edit',
      '--label',
      'reader',
      '--json',
    ]);
    expect(made).toMatchObject({ code: 0, err: '' });
    const { id, token } = JSON.parse(made.out);
    expect((await get(served.address, '/api/issues', token)).status).toBe(200);
    const listed = JSON.parse((await place.run(['token', 'list', '--json'])).out);
    expect(listed.map((one: { label: string }) => one.label)).toEqual(['owner', 'reader']);
    expect(JSON.stringify(listed)).not.toContain(token.slice(-52));
    expect((await place.run(['token', 'revoke', id])).code).toBe(0);
    expect((await get(served.address, '/api/issues', token)).status).toBe(401);

    const project = await place.run(['project', 'create', 'Quality Lab', '--json']);
    const { token: owner } = JSON.parse(project.out);
    const own = (await (await get(served.address, '/api/projects', owner)).json()) as Projects;
    expect(own.items).toHaveLength(1);
    expect(own.items[0]).toMatchObject({ slug: 'quality-lab', name: 'Quality Lab' });
    expect(
      (await place.run(['token', 'create', '--capability', 'srs:edit', '--project', 'nowhere']))
        .code,
    ).toBe(1);
    await served.stop();

    const after = JSON.parse((await place.run(['token', 'list', '--json'])).out);
    expect(after.find((one: { id: string }) => one.id === id).revokedAt).not.toBeNull();
    expect(after.find((one: { label: string }) => one.label === 'owner').lastUsedAt).toBeNull();
    expect(after.find((one: { id: string }) => one.id === id).lastUsedAt).not.toBeNull();
  });

  test('are the same without a server', async () => {
    const place = await openWorkplace('stopped');
    await place.run(['init']);
    const made = await place.run([
      'token',
      'create',
      '--capability',
      'widget:write,agent:execute',
      '--expires',
      '30d',
    ]);
    expect(made.out.trim()).toMatch(TOKEN);
    expect((await place.run(['token', 'list'])).out).toContain('widget:write,agent:execute');
    await place.run(['token', 'create', '--capability', 'project:owner', '--read-only']);
    expect((await place.run(['token', 'list'])).out).toContain('project:owner (read-only)');
    const listed: TokenView[] = JSON.parse((await place.run(['token', 'list', '--json'])).out);
    expect(listed.map(({ readOnly }) => readOnly)).toEqual([false, false, true]);
    expect((await place.run(['project', 'create', 'Two', '--slug', 'two'])).code).toBe(0);
    const again = await place.run(['project', 'create', 'Two', '--slug', 'two']);
    expect(again.code).toBe(1);
    expect(again.err).toBe(
      'pqrs: there is a project with the slug "two" already; --slug gives another\n',
    );
    expect((await place.run(['project', 'list'])).out).toMatch(/default.*\n.*two/);
  });

  test('of several projects the one that is meant must be named', async () => {
    const place = await openWorkplace('several');
    await Bun.write(join(place.folder, 'srs/s.md'), '## US-1: One\n\nText.\n');
    await place.run(['init']);
    const calls = [
      ['import', 'srs'],
      ['token', 'create', '--capability', 'srs:edit'],
      ['credential', 'set', 'KEY'],
      ['credential', 'list'],
      ['credential', 'rm', 'KEY'],
    ];
    for (const call of calls) expect((await place.run(call, {}, 'value')).code).toBe(0);
    await place.run(['project', 'create', 'Two', '--slug', 'two']);
    const unnamed = async () => {
      for (const call of calls) {
        expect(await place.run(call, { PQRS_PROJECT: 'two' }, 'value')).toEqual({
          ...{ code: 2, out: '' },
          err: 'pqrs: there are several projects; --project takes one of default, two\n',
        });
      }
    };
    await unnamed();
    const served = await place.serve();
    await unnamed();
    const named = await place.run(['import', 'srs', '--project', 'two', '--json']);
    expect(JSON.parse(named.out)).toMatchObject({ project: 'two', revision: 1 });
    expect((await place.run(['token', 'list'])).code).toBe(0);
    await served.stop();
  });

  test('while a server starts, a command waits until it can be asked', async () => {
    const folder = temporaryFolder('starting');
    const release = takeLock(join(folder, 'lock.db'));
    const config = readConfig({ flags: { 'data-dir': folder }, environment: {}, folder });
    const list: TokenView[] = [];
    const listed = runAdministration({ config }, 'token list', { project: undefined });
    await Bun.sleep(200);
    const administration = { 'token list': async () => list } as unknown as Administration;
    const { stop } = await serveAdministration(folder, administration, () => {});
    expect(await listed).toEqual(list);
    await stop();
    // Or until whoever had the folder is gone.
    const again = runAdministration({ config }, 'token list', { project: undefined });
    await Bun.sleep(200);
    release();
    expect(await again).toEqual([]);
  });

  test('a folder that stays in use by what cannot be asked is told of', async () => {
    const folder = temporaryFolder('in-use');
    const release = takeLock(join(folder, 'lock.db'));
    const config = readConfig({ flags: { 'data-dir': folder }, environment: {}, folder });
    const wish = { project: undefined };
    const refused = await runAdministration({ config }, 'token list', wish, undefined, 300).catch(
      (error: Error) => error,
    );
    release();
    expect(refused).toEqual(new FolderInUse());
  });

  // For all of that in test/long/drain.campaign.ts.
  test('a command waits for a server that takes its time to end [PQRS-82]', async () => {
    const folder = temporaryFolder('ending');
    const release = takeLock(join(folder, 'lock.db'));
    const config = readConfig({ flags: { 'data-dir': folder }, environment: {}, folder });
    const listed = runAdministration({ config }, 'token list', { project: undefined });
    await Promise.race([listed, Bun.sleep(DRAIN_MS * 0.55)]).finally(release);
    expect(await listed).toEqual([]);
  }, 15_000);

  test('a long path of the data folder moves the socket to a private folder', async () => {
    const place = await openWorkplace('long');
    const deep = workplaceAt(
      join(place.folder, 'd'.repeat(60), 'e'.repeat(60)),
      join(place.folder, 'pqrs'),
    );
    const served = await deep.serve();
    const made = await deep.run(['token', 'create', '--capability', 'srs:edit']);
    expect(made.err).toBe('');
    expect((await get(served.address, '/api/issues', made.out.trim())).status).toBe(200);
    await served.stop();
  });
});

describe('wrong calls [PQRS-83]', () => {
  test.each([
    [['nonsense'], 2, 'no command "nonsense"'],
    [['--no-such-flag'], 2, '--no-such-flag'],
    [['serve', '--port', 'many'], 2, '--port must be a whole number'],
    [['token', 'create'], 2, '--capability is required'],
    [['token', 'create', '--capability', 'root'], 2, 'root is no capability'],
    [['token', 'create', '--capability', 'srs:edit', '--expires', 'soon'], 2, '--expires soon'],
    [
      ['token', 'create', '--capability', 'srs:edit', '--instance'],
      2,
      '--instance goes with project:owner',
    ],
    [['token', 'revoke'], 2, 'takes ID'],
    [['project', 'create', 'A', 'B'], 2, 'takes NAME'],
    [['project', 'create', 'A\u001b[2J'], 2, 'NAME must be one line without control characters'],
    [['project', 'create', ' '], 2, 'NAME must not be blank'],
    [['project', 'create', '日本'], 2, 'no slug can be made of this name; --slug gives one'],
    [['project', 'create', 'A', '--slug', 'A B'], 2, '--slug must be lower-case letters'],
    [
      ['token', 'create', '--capability', 'srs:edit', '--label', 'a\nb'],
      2,
      '--label must be one line without control characters',
    ],
    [
      ['token', 'create', '--capability', 'srs:edit', '--label', 'x'.repeat(301)],
      2,
      '--label must have at most 300 characters, not 301',
    ],
  ])('%j ends with %d and says why', async (args, code, text) => {
    const place = await openWorkplace('wrong');
    const ended = await place.run(args as string[]);
    expect(ended.code).toBe(code as number);
    expect(ended.err).toContain(text as string);
    expect(ended.err).not.toMatch(/\n\s+at /);
  });

  test('a token that there is none of is no token to revoke', async () => {
    const place = await openWorkplace('wrong-token');
    await place.run(['init']);
    expect(await place.run(['token', 'revoke', 'tok_unknown'])).toEqual({
      ...{ code: 1, out: '' },
      err: 'pqrs: There is no token "tok_unknown".\n',
    });
  });

  test.each([
    [['project', 'create', 'A']],
    [['project', 'list', '--json']],
    [['token', 'create', '--capability', 'srs:edit']],
    [['token', 'list']],
    [['token', 'revoke', 'tok_unknown']],
    [['credential', 'set', 'A']],
    [['credential', 'list']],
    [['credential', 'rm', 'A']],
    [['import', 'a.feature']],
    [['keys', 'show']],
  ])('%j makes no instance where there is none', async (args) => {
    const place = await openWorkplace('nowhere');
    await Bun.write(join(place.folder, 'a.feature'), 'Feature: a\n');
    await place.run(['init']);
    const folder = join(place.folder, 'typo');
    expect(await place.run([...args, '--data-dir', 'typo'], {}, 'value')).toEqual({
      ...{ code: 1, out: '' },
      err: `pqrs: there is no data folder at ${folder}; pqrs init makes one\n`,
    });
    expect(existsSync(folder)).toBe(false);
  });

  test.each([
    [{ PQRS_PROT: '1' }, 'PQRS_PROT is not a setting'],
    [{ PQRS_DEMO: 'maybe' }, 'PQRS_DEMO must be true or false'],
    [{ PQRS_CORS_ORIGINS: 'example.com/' }, 'not an exact origin'],
    [{ PQRS_TLS_CERT: 'cert.pem' }, 'go together'],
    [{ PQRS_DATABASE_TOKEN_FILE: '/nowhere/token' }, 'PQRS_DATABASE_TOKEN_FILE names a file'],
    [{ PQRS_IDLE_SECONDS: '0' }, 'PQRS_IDLE_SECONDS must be a whole number from 1'],
    [{ PQRS_TRUSTED_PROXIES: 'everyone' }, 'everyone'],
  ])('the setting %j stops the start with a line that names it', async (environment, text) => {
    const place = await openWorkplace('bad-setting');
    const ended = await place.run(['serve', '--port', '0'], environment as Record<string, string>);
    expect(ended.code).toBe(2);
    expect(ended.err).toContain(text as string);
    expect(ended.err.trim().split('\n')).toHaveLength(1);
  });

  test('an unknown key in pqrs.toml, and a file that is none', async () => {
    const place = await openWorkplace('bad-file');
    await Bun.write(join(place.folder, 'pqrs.toml'), 'prot = 1\n');
    expect(await place.run(['serve'])).toMatchObject({
      code: 2,
      err: 'pqrs: pqrs.toml: prot is not a setting\n',
    });
    await Bun.write(join(place.folder, 'pqrs.toml'), 'port = = 1\n');
    expect((await place.run(['serve'])).code).toBe(2);
  });

  test('a port in use is said in a line, and nothing stays locked', async () => {
    const place = await openWorkplace('port');
    const taken = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('taken') });
    const ended = await place.run(['serve', '--port', String(taken.port)]);
    taken.stop(true);
    expect(ended).toMatchObject({ code: 2 });
    expect(ended.err).toContain('it is in use');
    await (await place.serve()).stop();
  });
});

describe('help and version', () => {
  test('every command has its help', async () => {
    const place = await openWorkplace('help');
    const overview = await place.run(['--help']);
    expect(overview.code).toBe(0);
    expect(await place.run(['help'])).toEqual(overview);
    const names = [...overview.out.matchAll(/^ {2}pqrs ((?:\w+ ?)+?) {2}/gm)].map(
      ([, name]) => name?.trim() ?? '',
    );
    expect(names).toEqual(
      expect.arrayContaining(['serve', 'init', 'project create', 'token revoke', 'version']),
    );
    for (const name of names) {
      const help = await place.run([...name.split(' '), '--help']);
      expect(help).toMatchObject({ code: 0, err: '' });
      expect(help.out).toContain(`pqrs ${name}`);
    }
    const group = await place.run(['token', '--help']);
    expect(group).toMatchObject({ code: 0, err: '' });
    expect(group.out).toContain('pqrs token revoke');
    expect(await place.run(['help', 'token'])).toEqual(group);
    expect(await place.run(['nothing', '--help'])).toMatchObject({ code: 2, out: '' });
    const asked = await place.run(['help', 'token', 'create']);
    expect(asked).toEqual(await place.run(['token', 'create', '--help']));
  });

  test('version', async () => {
    const place = await openWorkplace('version');
    const { version } = JSON.parse(
      readFileSync(join(import.meta.dir, '../../package.json'), 'utf8'),
    );
    expect((await place.run(['version'])).out).toBe(`pqrs ${version}\n`);
    for (const flag of ['--version', '-v'])
      expect(await place.run([flag])).toEqual(await place.run(['version']));
    expect(JSON.parse((await place.run(['version', '--json'])).out)).toEqual({ version });
  });

  test('openapi prints the committed API document [PQRS-80]', async () => {
    const place = await openWorkplace('openapi');
    const committed = readFileSync(join(import.meta.dir, '../fixtures/openapi.json'), 'utf8');
    expect(await place.run(['openapi'])).toEqual({ code: 0, out: committed, err: '' });
  });
});
