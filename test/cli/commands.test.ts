// The command line as a new user types it, in an empty folder, with and without a running server.
import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientText } from '../../scripts/build-client.ts';
import { openWorkplace, type Workplace, workplaceAt } from '../support/running-executable.ts';

type Projects = { items: { slug: string; name: string }[] };
interface TokenView {
  id: string;
  label: string;
  readOnly: boolean;
  revokedAt: string | null;
  lastUsedAt: string | null;
}

const TOKEN = /pqrs_[0-9a-hjkmnp-tv-z]{26}_[0-9a-hjkmnp-tv-z]{52}/;

function get(address: string, path: string, token: string): Promise<Response> {
  return fetch(`${address}${path}`, { headers: { authorization: `Bearer ${token}` } });
}

async function tokensOf(place: Workplace): Promise<TokenView[]> {
  return JSON.parse((await place.run(['token', 'list', '--json'])).out);
}

describe('the first start [PQRS-82]', () => {
  test('prints address, project, where the token is and a request to paste', async () => {
    const place = await openWorkplace('first-start');
    const first = await place.serve();
    expect(first.out()).toContain('project  default');
    expect(first.out()).not.toMatch(TOKEN);
    const dataDir = join(place.folder, 'pqrs-data');
    const file = join(dataDir, 'owner.token');
    const token = readFileSync(file, 'utf8').trim();
    expect(token).toMatch(TOKEN);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    for (const name of ['owner.token', 'pqrs.db', 'admin.sock'])
      expect([name, statSync(join(dataDir, name)).mode & 0o777]).toEqual([name, 0o600]);
    const request = /curl -H "Authorization: Bearer \$\(cat (\S+)\)" (\S+)/.exec(first.out());
    expect(join(place.folder, request?.[1] ?? '')).toBe(file);
    const answer = await get(request?.[2] ?? '', '', token);
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
    const token = TOKEN.exec(await printed('init'))?.[0] ?? 'none';
    expect(readFileSync(join(place.folder, 'pqrs-data', 'owner.token'), 'utf8')).toContain(token);
    expect(await printed('init')).not.toMatch(TOKEN);
  });

  test('takes slug and data folder from flags, variables and pqrs.toml, in this order [PQRS-83]', async () => {
    const place = await openWorkplace('settings');
    writeFileSync(
      join(place.folder, 'pqrs.toml'),
      'project = "from-file"\ndata_dir = "file-data"\n',
    );
    const variables = { PQRS_DATA_DIR: 'variable-data' };
    const made = await place.run(['init', '--json', '--data-dir', 'flag-data'], variables);
    expect(JSON.parse(made.out)).toMatchObject({ created: true, project: 'from-file' });
    expect(JSON.parse(made.out).token).toMatch(TOKEN);
    expect(readdirSync(place.folder).sort()).toEqual(['flag-data', 'pqrs', 'pqrs.toml']);
    const again = await place.run(['init', '--json', '--data-dir', 'flag-data']);
    expect(JSON.parse(again.out)).toMatchObject({ created: false });
  });
});

describe('projects and tokens', () => {
  test('are made, listed and revoked while a server runs, with effect at once [PQRS-69]', async () => {
    const place = await openWorkplace('running');
    const served = await place.serve();
    const made = await place.run([
      ...['token', 'create', '--capability', 'srs:edit', '--label', 'reader', '--json'],
    ]);
    expect(made).toMatchObject({ code: 0, err: '' });
    const { id, token } = JSON.parse(made.out);
    expect((await get(served.address, '/api/issues', token)).status).toBe(200);
    const listed = await tokensOf(place);
    expect(listed.map(({ label }) => label)).toEqual(['owner', 'reader']);
    expect(JSON.stringify(listed)).not.toContain(token.slice(-52));
    expect((await place.run(['token', 'revoke', id])).code).toBe(0);
    expect((await get(served.address, '/api/issues', token)).status).toBe(401);

    const project = await place.run(['project', 'create', 'Quality Lab', '--json']);
    const { token: owner } = JSON.parse(project.out);
    const own = (await (await get(served.address, '/api/projects', owner)).json()) as Projects;
    expect(own.items).toMatchObject([{ slug: 'quality-lab', name: 'Quality Lab' }]);
    const nowhere = ['token', 'create', '--capability', 'srs:edit', '--project', 'nowhere'];
    expect((await place.run(nowhere)).code).toBe(1);
    await served.stop();

    const after = await tokensOf(place);
    expect(after.find((one) => one.id === id)?.revokedAt).not.toBeNull();
    expect(after.find((one) => one.id === id)?.lastUsedAt).not.toBeNull();
    expect(after.find(({ label }) => label === 'owner')?.lastUsedAt).toBeNull();
  });

  test('are the same without a server', async () => {
    const place = await openWorkplace('stopped');
    await place.run(['init']);
    const made = await place.run([
      ...['token', 'create', '--capability', 'widget:write,agent:execute', '--expires', '30d'],
    ]);
    expect(made.out.trim()).toMatch(TOKEN);
    await place.run(['token', 'create', '--capability', 'project:owner', '--read-only']);
    const table = (await place.run(['token', 'list'])).out;
    for (const text of ['widget:write,agent:execute', 'project:owner (read-only)'])
      expect(table).toContain(text);
    expect((await tokensOf(place)).map(({ readOnly }) => readOnly)).toEqual([false, false, true]);
    expect((await place.run(['token', 'revoke', 'tok_unknown'])).code).toBe(1);
    expect((await place.run(['project', 'create', 'Two', '--slug', 'two'])).code).toBe(0);
    const again = await place.run(['project', 'create', 'Two', '--slug', 'two']);
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining('"two" already') });
    expect((await place.run(['project', 'list'])).out).toMatch(/default.*\n.*two/);
  });

  test('of several projects the one that is meant must be named', async () => {
    const place = await openWorkplace('several');
    await Bun.write(join(place.folder, 'srs/s.md'), '## US-1: One\n\nText.\n');
    await place.run(['init']);
    await place.run(['project', 'create', 'Two', '--slug', 'two']);
    const served = await place.serve();
    for (const call of [
      ['import', 'srs'],
      ['token', 'create', '--capability', 'srs:edit'],
      ['credential', 'list'],
    ]) {
      const unnamed = await place.run(call, { PQRS_PROJECT: 'two' });
      expect(unnamed).toMatchObject({ code: 2, out: '' });
      expect(unnamed.err).toContain('--project takes one of default, two');
    }
    const named = await place.run(['import', 'srs', '--project', 'two', '--json']);
    expect(JSON.parse(named.out)).toMatchObject({ project: 'two', revision: 1 });
    await served.stop();
    expect((await place.run(['credential', 'list'])).code).toBe(2);
  });

  test('tokens, credentials, projects and imports are recorded [PQRS-65]', async () => {
    const place = await openWorkplace('audit');
    const made = async (args: string[], input?: string) => {
      const { code, out, err } = await place.run([...args, '--json'], {}, input);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      return JSON.parse(out) as { id: string };
    };
    writeFileSync(join(place.folder, 'shop.md'), '- SHOP-1: Cart\n');
    await made(['init']);
    const { id } = await made(['token', 'create', '--capability', 'srs:edit']);
    await made(['credential', 'set', 'PASSWORD'], 'canary');
    await made(['import', 'shop.md']);
    const server = await place.serve();
    await made(['token', 'revoke', id]);
    await made(['credential', 'rm', 'PASSWORD']);
    await made(['project', 'create', 'Other']);
    const token = readFileSync(join(place.folder, 'pqrs-data', 'owner.token'), 'utf8').trim();
    const answer = await get(server.address, '/api/system-logs?source=pqrs&level=info', token);
    const text = await answer.text();
    type Entry = { fields: { action: string; by: { tokenId: string } } };
    const { items } = JSON.parse(text) as { items: Entry[] };
    const events = items.map(({ fields }) => `${fields.by.tokenId} ${fields.action}`);
    expect(events.reverse()).toEqual([
      'service project.created',
      'service token.created',
      'command-line token.created',
      'command-line credential.set',
      'command-line revision.imported',
      'command-line token.revoked',
      'command-line credential.removed',
    ]);
    expect(text).not.toContain('canary');
    await server.stop();
  });

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
  const CREATE = ['token', 'create', '--capability', 'srs:edit'];
  const NAME = ['project', 'create'];

  test('end with 2, one line that says why, and make nothing', async () => {
    const place = await openWorkplace('wrong');
    const none = {};
    for (const [args, settings, text] of [
      [['nonsense'], none, 'no command "nonsense"'],
      [['--no-such-flag'], none, '--no-such-flag'],
      [['serve', '--port', 'many'], none, '--port must be a whole number'],
      [['serve', '--project', 'Bad Slug'], none, '--project must be lower-case'],
      [['serve', '--tls-cert', 'a.pem', '--tls-key', 'a.pem'], none, 'PQRS_TLS_CERT names a file'],
      [['init'], { PQRS_PROJECT: 'Bad Slug' }, 'PQRS_PROJECT must be'],
      [['serve'], { PQRS_PROT: '1' }, 'PQRS_PROT is not a setting'],
      [['serve'], { PQRS_DEMO: 'maybe' }, 'PQRS_DEMO must be true or false'],
      [['serve'], { PQRS_CORS_ORIGINS: 'example.com/' }, 'not an exact origin'],
      [['serve'], { PQRS_TLS_CERT: 'cert.pem' }, 'go together'],
      [['serve'], { PQRS_DATABASE_TOKEN_FILE: '/none' }, 'PQRS_DATABASE_TOKEN_FILE names a file'],
      [['serve'], { PQRS_IDLE_SECONDS: '0' }, 'PQRS_IDLE_SECONDS must be a whole number from 1'],
      [['serve'], { PQRS_TRUSTED_PROXIES: 'everyone' }, 'everyone'],
      [['token', 'create'], none, '--capability is required'],
      [['token', 'create', '--capability', 'root'], none, 'root is no capability'],
      [[...CREATE, '--expires', 'soon'], none, '--expires soon'],
      [[...CREATE, '--instance'], none, '--instance goes with project:owner'],
      [[...CREATE, '--label', 'a\nb'], none, '--label must be one line'],
      [['token', 'revoke'], none, 'takes ID'],
      [[...NAME, 'A', 'B'], none, 'takes NAME'],
      [[...NAME, 'A\u001b[2J'], none, 'NAME must be one line'],
      [[...NAME, '日本'], none, 'no slug can be made of this name'],
      [[...NAME, 'A', '--slug', 'A B'], none, '--slug must be lower-case letters'],
    ] as [string[], Record<string, string>, string][]) {
      const ended = await place.run(args, settings);
      expect(ended).toMatchObject({ code: 2, out: '' });
      expect(ended.err).toContain(text);
      expect(ended.err.trim().split('\n')).toHaveLength(1);
    }
    writeFileSync(join(place.folder, 'pqrs.toml'), 'prot = 1\n');
    const key = await place.run(['serve']);
    expect(key).toMatchObject({ code: 2, err: 'pqrs: pqrs.toml: prot is not a setting\n' });
    writeFileSync(join(place.folder, 'pqrs.toml'), 'port = = 1\n');
    expect((await place.run(['serve'])).code).toBe(2);
    expect(readdirSync(place.folder).sort()).toEqual(['pqrs', 'pqrs.toml']);
  });

  test('no command but serve and init makes an instance', async () => {
    const place = await openWorkplace('nowhere');
    writeFileSync(join(place.folder, 'a.feature'), 'Feature: a\n');
    for (const args of [
      [...NAME, 'A'],
      CREATE,
      ['token', 'list'],
      ['credential', 'set', 'A'],
      ['import', 'a.feature'],
      ['keys', 'show'],
      ['doctor'],
    ]) {
      const ended = await place.run([...args, '--data-dir', 'typo'], {}, 'value');
      expect(ended).toMatchObject({ code: 1, out: '' });
      expect(ended.err).toMatch(
        /^pqrs: there is no data folder at .*\/typo; pqrs init makes one\n$/,
      );
    }
    expect(existsSync(join(place.folder, 'typo'))).toBe(false);
  });

  test('repeat no token that was given by mistake [PQRS-69]', async () => {
    const place = await openWorkplace('whole-token');
    await place.run(['init']);
    const secret = '1m050tzfc6g39mpz1s0bbfz7hj367akfx4r5qkjzh8zwpktmeds3';
    const token = `pqrs_01m80azsfxe50828jhbq6sbewk_${secret}`;
    for (const args of [
      [token],
      [`--${token}`],
      ['token', 'create', '--capability', token],
      [...CREATE, '--project', token],
      ['token', 'revoke', token],
      ['import', token],
      ['serve', '--tls-cert', token, '--tls-key', token],
      ['serve', '--log-level', token],
      ['token', 'list', '--data-dir', token],
      ['report', 'none.xml', '--url', token],
    ]) {
      const { code, out, err } = await place.run(args);
      expect(code).not.toBe(0);
      expect(err).toStartWith('pqrs: ');
      expect(out + err).not.toContain(secret);
    }
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
    const group = await place.run(['token', '--help']);
    expect(group).toMatchObject({ code: 0, out: expect.stringContaining('pqrs token revoke') });
    expect(await place.run(['help', 'token'])).toEqual(group);
    expect(await place.run(['nothing', '--help'])).toMatchObject({ code: 2, out: '' });
    const asked = await place.run(['help', 'token', 'create']);
    expect(asked).toMatchObject({ code: 0, out: expect.stringContaining('pqrs token create') });
  });

  test('version, openapi and client [PQRS-80]', async () => {
    const place = await openWorkplace('version');
    const file = (path: string) => readFileSync(join(import.meta.dir, '../..', path), 'utf8');
    const { version } = JSON.parse(file('package.json'));
    for (const args of [['version'], ['--version'], ['-v']])
      expect(await place.run(args)).toEqual({ code: 0, out: `pqrs ${version}\n`, err: '' });
    expect(JSON.parse((await place.run(['version', '--json'])).out)).toEqual({ version });
    const openapi = await place.run(['openapi']);
    expect(openapi).toEqual({ code: 0, out: file('test/fixtures/openapi.json'), err: '' });
    const client = await place.run(['client', 'typescript']);
    expect(client).toEqual({ code: 0, out: clientText(JSON.parse(openapi.out)), err: '' });
  });
});
