// How the database answers what is asked of runs: by an index each time, never by going through a
// table, so that a page costs the same whatever is behind it.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Instance, openInstance } from '../support/instance.ts';
import { queryPlans } from '../support/query-plans.ts';
import { keyOf, makeRun, results } from './made-runs.ts';

let instance: Instance;
let token: string;
let runId: string;

beforeAll(async () => {
  instance = await openInstance();
  const project = await instance.makeProject('default');
  token = project.token;
  const made = { results: results('passed', 'a', 'b'), commitId: 'c' };
  runId = (await makeRun(instance.evidence.database, project.id, made)).id;
});

afterAll(() => instance.close());

/** The steps of all that the database does for a request. */
function stepsOf(search: string): Promise<string[]> {
  return queryPlans(instance, async () => {
    const { status } = await instance.fetch(`/api/test-runs${search}`, { token });
    expect(status).toBe(200);
  });
}

const PLACE = '&branch=x&commit=c&environment=y';

const ASKED: Record<string, () => string> = {
  'a list': () => '',
  'a list of one branch': () => '?branch=x',
  'a list of two branches': () => '?branch=x&branch=y',
  'a list by several filters': () => '?status=passed,failed&agent=q&branch=x&environment=z',
  'a list by every id': () => '?commandId=a&suiteId=b&planId=c&externalId=d',
  'a list of late runs': () => '?late=true',
  'a list of runs that are not late': () => '?late=false',
  'one run': () => `?id=${runId}`,
  'results of one status': () => `?id=${runId}&status=failed`,
  'the history of a test': () => `?testKey=${keyOf('a')}`,
  'the history of a test at a place': () => `?testKey=${keyOf('a')}&status=failed${PLACE}`,
  'flaky tests': () => '?view=flaky',
  'slow tests of a branch': () => '?view=slowest&branch=x&commandId=y',
  'the trend by day': () => '?view=trend&by=day',
};

describe('the database looks up', () => {
  for (const [what, search] of Object.entries(ASKED)) {
    test(`${what} by indexes`, async () => {
      const steps = await stepsOf(search());
      const tables = /^(?:SCAN|SEARCH) (?:test_runs|test_results|tests|attachments|r)\b/;
      const looked = steps.filter((step) => tables.test(step));
      expect(looked.length).toBeGreaterThan(0);
      expect(looked.filter((step) => step.startsWith('SCAN'))).toEqual([]);
      // Only what a page holds and its attachments are put in order, never what it was chosen from.
      const sorted = steps.filter((step) => /TEMP B-TREE/.test(step)).length;
      const summed = steps.filter((step) => /^SCAN (?:place|newest)/.test(step)).length;
      const attached = steps.filter((step) => step.startsWith('SEARCH attachments ')).length;
      expect(sorted).toBeLessThanOrEqual(2 * summed + attached);
    });
  }
});
