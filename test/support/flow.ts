// Registers contract tests: every one runs on each target under both prefixes, and what was said
// under the one must be what was said under the other.
import { expect, test } from 'bun:test';
import { type Body, type Client, createClient, type Prefix } from './client.ts';
import { PUBLIC_ROLES, type PublicRole, type Role } from './roles.ts';
import { TARGETS, type Target, type TargetChoice } from './target.ts';

// What differs between databases and runtimes does not differ between prefixes.
const PREFIXES: readonly Prefix[] = process.env.CONTRACT_TARGET ? ['/api'] : ['/api', '/api/v1'];
/** The first test of a run may have to wait for a build. */
const TIMEOUT_MS = 120_000;

export interface FlowOptions {
  /** Roles that must have a token, beside the owner. */
  needs?: readonly Role[];
  /** Why it must not run on an instance that somebody else uses. */
  ownBecause?: string;
  /** False where the order of what is said is left to chance. */
  compare?: boolean;
  /**
   * How often it may be said under both prefixes until they agree, where what is asked for changes
   * by itself in between; 1 unless told. It must change nothing.
   */
  tries?: number;
}

const told = new Set<string>();

/**
 * Registers a test.
 *
 * @param title - what holds
 * @param options - which targets it is for
 * @param run - does it with a client of one target under one prefix
 */
export function flow(
  title: string,
  options: FlowOptions,
  run: (api: Client) => Promise<void>,
): void {
  for (const choice of TARGETS) {
    const reason = whyNot(choice, options);
    if (reason !== undefined) {
      if (!told.has(reason)) console.log(`Skipped on the ${choice.name}: ${reason}.`);
      told.add(reason);
      test.skip(`${title} [${choice.name}]`, () => {});
      continue;
    }
    test(
      `${title} [${choice.name}]`,
      async () => {
        const target = withRoles(await choice.open(), options);
        for (let left = options.tries ?? 1; ; left -= 1) {
          const clients = PREFIXES.map((prefix) => createClient(target, prefix));
          for (const client of clients) await run(client);
          if (options.compare === false || clients.length < 2) return;
          try {
            return compareExchanges(clients);
          } catch (difference) {
            if (left <= 1) throw difference;
          }
        }
      },
      TIMEOUT_MS,
    );
  }
}

/**
 * The target as a test may use it that runs on any instance: of the public roles it has those that
 * the test says it needs. A test that said less would fail where there is an owner's token alone.
 */
function withRoles(target: Target, { needs = [], ownBecause }: FlowOptions): Target {
  if (ownBecause !== undefined) return target;
  return {
    ...target,
    token(role) {
      if (role !== 'owner' && role in PUBLIC_ROLES && !needs.includes(role))
        throw new Error(`the test uses the role ${role} and does not say that it needs it`);
      return target.token(role);
    },
  };
}

/** Holds what was said under one prefix against what was said under the other, one at a time. */
function compareExchanges([first, second]: Client[]): void {
  const pairs = (first?.exchanges ?? []).map((exchange, at) => [exchange, second?.exchanges[at]]);
  for (const [one, other] of pairs) expect(other).toEqual(one);
  expect(second?.exchanges.length).toBe(pairs.length);
}

function whyNot(choice: TargetChoice, options: FlowOptions): string | undefined {
  const missing = (['owner', ...(options.needs ?? [])] as Role[]).find((role) => !choice.has(role));
  if (missing !== undefined) {
    const variable = PUBLIC_ROLES[missing as PublicRole];
    return variable
      ? `${variable} is not set`
      : `only instances that the tests start have a token of the role "${missing}"`;
  }
  if (options.ownBecause !== undefined && !choice.own) return options.ownBecause;
  return undefined;
}

/** One request and what is expected of its answer. */
export interface Scenario {
  name: string;
  method: string;
  /** Below the prefix; may hold a query. */
  path: string;
  /** Who calls; null for nobody. The owner unless told. */
  as?: Role | null;
  headers?: Record<string, string>;
  /** Sent as JSON where it is neither text nor bytes. */
  body?: unknown;
  status: number;
  /** The code of the problem. */
  code?: string;
  /** Texts that the body must hold. */
  contains?: readonly string[];
  /** Texts that it must not hold. */
  notContains?: readonly string[];
  answers?: Record<string, string | RegExp>;
}

/** A row for a body that is refused where it is wrong. */
export const invalidBody = (
  method: string,
  path: string,
  name: string,
  body: unknown,
  pointer: string,
): Scenario => ({
  ...{ name, method, path, body, status: 422, code: 'invalid' },
  contains: [`"pointer":"${pointer}"`],
});

/** A row for a request that asks for what there is not. */
export const asking = (name: string, path: string, status: number, code?: string): Scenario => ({
  ...{ name, method: 'GET', path, status, ...(code && { code }) },
});

/** Registers a table of scenarios as one test a row. */
export function scenarios(group: string, options: FlowOptions, rows: readonly Scenario[]): void {
  for (const row of rows) {
    const needs = [...(options.needs ?? []), ...(row.as ? [row.as] : [])];
    flow(`${group}: ${row.name}`, { ...options, needs }, (api) => play(api, row));
  }
}

/** Plays one scenario. */
export async function play(api: Client, row: Scenario): Promise<void> {
  const bare =
    row.body === undefined || typeof row.body === 'string' || row.body instanceof Uint8Array;
  const answer = await api.send(row.method, row.path, {
    ...(row.as === undefined ? {} : { as: row.as }),
    headers: row.headers ?? {},
    ...(bare ? { body: row.body as Body } : { json: row.body }),
  });
  if (row.code === undefined) answer.must(row.status);
  else answer.mustBe(row.status, row.code);
  for (const text of row.contains ?? []) expect(answer.text).toContain(text);
  for (const text of row.notContains ?? []) expect(answer.text).not.toContain(text);
  for (const [name, value] of Object.entries(row.answers ?? {})) {
    if (value instanceof RegExp) expect(answer.header(name)).toMatch(value);
    else expect(answer.header(name)).toBe(value);
  }
}
