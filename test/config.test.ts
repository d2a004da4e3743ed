// The settings: flags before environment before file before defaults, and one line for what is wrong.
import { beforeEach, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { ConfigError, type ConfigInput, describeSettings, readConfig } from '../src/config.ts';
import { DEFAULT_LIMITS } from '../src/limits.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder('config');
});

const read = (input: Partial<ConfigInput> = {}, toml?: string) => {
  if (toml !== undefined) writeFileSync(`${folder}/pqrs.toml`, toml);
  return readConfig({ flags: {}, environment: {}, folder, ...input });
};

function refused(input: Partial<ConfigInput>, toml?: string): string {
  try {
    read(input, toml);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    const { message } = error as ConfigError;
    expect(message).not.toContain('\n');
    return message;
  }
  return 'taken';
}

describe('a setting [PQRS-83]', () => {
  test('has its default', () => {
    expect(read()).toMatchObject({
      host: '127.0.0.1',
      port: 4870,
      dataDir: './pqrs-data',
      databaseUrl: undefined,
      project: 'default',
      demo: false,
      openProbes: false,
      corsOrigins: [],
      trustedProxies: [],
      logLevel: 'info',
      limits: DEFAULT_LIMITS,
    });
  });

  test('of a limit is what the interface promises', () => {
    expect(DEFAULT_LIMITS).toMatchObject({
      jsonBodyBytes: 2 ** 20,
      ndjsonBytes: 64 * 2 ** 20,
      importBytes: 64 * 2 ** 20,
      reportBytes: 64 * 2 ** 20,
      transferBytes: 64 * 2 ** 20,
      attachmentBytes: 100 * 2 ** 20,
      attachmentsPerIssue: 20,
      logBatchEntries: 10_000,
      requestsInFlight: 256,
      streamsInFlight: 1000,
      idleSeconds: 30,
      widgetPerMinute: 60,
      widgetBurst: 20,
      widgetTokenPerMinute: 600,
      widgetTokenBytesPerDay: 2 ** 30,
      failedAuthPerMinute: 300,
      ownerPerMinute: 0,
      agentPerMinute: 0,
      editorPerMinute: 0,
      demoPerMinute: 0,
    });
  });

  test('comes from a flag, else the environment, else the file', () => {
    const flags = { port: '1' };
    const environment = { PQRS_PORT: '2', PQRS_HOST: 'b' };
    const toml = 'port = 3\nhost = "c"\nproject = "d"\n';
    expect(read({ flags, environment }, toml)).toMatchObject({ port: 1, host: 'b', project: 'd' });
    expect(read({ environment }, toml).port).toBe(2);
    expect(read({}, toml).port).toBe(3);
  });

  test('of each kind is read from text and from the file', () => {
    expect(read({ flags: { demo: true, 'open-probes': 'true' } })).toMatchObject({
      demo: true,
      openProbes: true,
    });
    expect(read({ environment: { PQRS_DEMO: '1', PQRS_OPEN_PROBES: '' } })).toMatchObject({
      demo: true,
      openProbes: false,
    });
    expect(
      read({ environment: { PQRS_CORS_ORIGINS: 'https://a.example, http://b.example:8080,' } })
        .corsOrigins,
    ).toEqual(['https://a.example', 'http://b.example:8080']);
    expect(
      read({}, 'trusted_proxies = ["10.0.0.0/8"]\nwidget_burst = 5\nlog_level = "debug"\n'),
    ).toMatchObject({
      trustedProxies: ['10.0.0.0/8'],
      logLevel: 'debug',
      limits: { widgetBurst: 5 },
    });
    expect(read({ environment: { PQRS_JSON_BODY_BYTES: '7' } }).limits.jsonBodyBytes).toBe(7);
  });

  test('that is secret has no flag, and may stand in a file of its own', () => {
    writeFileSync(`${folder}/secret`, ' the-token \n');
    expect(
      read({ environment: { PQRS_DATABASE_TOKEN_FILE: `${folder}/secret` } }).databaseToken,
    ).toBe('the-token');
    expect(read({ environment: { PQRS_DATABASE_TOKEN: 'x' } }).databaseToken).toBe('x');
    expect(refused({ flags: { 'database-token': 'x' } })).toContain('--database-token');
    expect(refused({ environment: { PQRS_DATABASE_TOKEN_FILE: `${folder}/none` } })).toContain(
      'PQRS_DATABASE_TOKEN_FILE',
    );
  });
});

describe('what is wrong [PQRS-83]', () => {
  test('is named, once, without its value where that is secret', () => {
    for (const [input, name, toml] of [
      [{ flags: { colour: 'red' } }, '--colour'],
      [{ environment: { PQRS_COLOUR: 'red' } }, 'PQRS_COLOUR'],
      [{ environment: { PQRS_PORTS: '1' } }, 'PQRS_PORTS'],
      [{ environment: { PQRS_HOST_FILE: '/x' } }, 'PQRS_HOST_FILE'],
      [{}, 'colour', 'colour = "red"'],
      [{}, 'pqrs.toml', 'port = '],
      [{}, 'pqrs.toml', 'port = 1\nport = 2'],
      [{ flags: { port: '65536' } }, '--port'],
      [{ flags: { port: '-1' } }, '--port'],
      [{ flags: { port: '1.5' } }, '--port'],
      [{ flags: { port: '' } }, '--port'],
      [{ flags: { port: true } }, '--port'],
      [{ environment: { PQRS_PORT: 'http' } }, 'PQRS_PORT'],
      [{}, 'host', 'host = 1'],
      [{ environment: { PQRS_HOST: '' } }, 'PQRS_HOST'],
      [{ environment: { PQRS_PROJECT: 'Bad Slug' } }, 'PQRS_PROJECT must be lower-case letters'],
      [{ flags: { project: 'a'.repeat(64) } }, '--project'],
      [{}, 'project', 'project = "-a"'],
      [{ environment: { PQRS_DEMO: 'yes' } }, 'PQRS_DEMO'],
      [{ environment: { PQRS_LOG_LEVEL: 'loud' } }, 'PQRS_LOG_LEVEL'],
      [{ environment: { PQRS_IDLE_SECONDS: '0' } }, 'PQRS_IDLE_SECONDS'],
      [{ environment: { PQRS_IDLE_SECONDS: '256' } }, 'PQRS_IDLE_SECONDS'],
      [{ environment: { PQRS_REQUESTS_IN_FLIGHT: '0' } }, 'PQRS_REQUESTS_IN_FLIGHT'],
      [{ environment: { PQRS_CORS_ORIGINS: '*' } }, 'PQRS_CORS_ORIGINS'],
      [{ environment: { PQRS_CORS_ORIGINS: 'https://a.example/' } }, 'PQRS_CORS_ORIGINS'],
      [{ environment: { PQRS_CORS_ORIGINS: 'https://A.example' } }, 'PQRS_CORS_ORIGINS'],
      [{ environment: { PQRS_CORS_ORIGINS: 'a.example' } }, 'PQRS_CORS_ORIGINS'],
      [{ environment: { PQRS_CORS_ORIGINS: 'null' } }, 'PQRS_CORS_ORIGINS'],
      [{ environment: { PQRS_TLS_CERT: '/c' } }, 'PQRS_TLS_CERT'],
      [{ environment: { PQRS_TLS_KEY: '/k' } }, 'PQRS_TLS_KEY'],
      [{}, 'trusted_proxies', 'trusted_proxies = [1]'],
    ] as [Partial<ConfigInput>, string, string?][]) {
      expect(refused(input, toml ?? ''), name).toContain(name);
    }
  });

  test('is a proxy that is neither address nor range', () => {
    const bad = [
      'proxy.example',
      '*',
      '10.0.0',
      '10.0.0/8',
      '10.0.0.0/33',
      '::1/129',
      '10.0.0.0/x',
    ];
    for (const proxy of [...bad, '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/-1', '10.0.0.0/1.5']) {
      const environment = { PQRS_TRUSTED_PROXIES: `192.0.2.1,${proxy}` };
      expect(refused({ environment }), proxy).toContain('PQRS_TRUSTED_PROXIES');
    }
    const good = ['10.0.0.0/8', '192.0.2.7', '::1', '2001:db8::/32', '0.0.0.0/0'];
    const environment = { PQRS_TRUSTED_PROXIES: good.join(',') };
    expect(read({ environment }).trustedProxies).toEqual(good);
  });

  test('is not what clients and tests read, nor what is not ours', () => {
    const environment = {
      PQRS_URL: 'http://a',
      PQRS_TOKEN: 'x',
      PQRS_TOKEN_WIDGET: 'x',
      PQRS_TOKEN_FILE: '/x',
      PQRS_JOB_ID: '7',
      HOME: '/x',
      PATH: '/bin',
      pqrs_port: 'x',
      XPQRS_PORT: 'x',
      PQRS_PORT: undefined,
    };
    expect(read({ environment }).port).toBe(4870);
  });
});

test('every setting is described, with its flag and variable', () => {
  const described = describeSettings();
  expect(described.length).toBeGreaterThan(Object.keys(DEFAULT_LIMITS).length + 10);
  for (const { flag, variable, help } of described) {
    expect(variable).toMatch(/^PQRS_[A-Z_]+$/);
    if (flag) expect(flag).toBe(`${variable.slice(5).toLowerCase().replaceAll('_', '-')}`);
    expect(help.length).toBeGreaterThan(3);
  }
  const switches = described.filter(({ isSwitch }) => isSwitch).map(({ flag }) => flag);
  expect(switches.sort()).toEqual(['demo', 'open-probes']);
});
