// What the reports of the shared data hold, by their paths in it; each holds what it states, or why not
// is said.

export interface ExpectedReport {
  tests: number;
  failed?: number;
  broken?: number;
  skipped?: number;
  unknown?: number;
  flaky?: number;
  status: 'broken' | 'failed' | 'passed';
  codes?: string[];
  /** Why it does not hold what it states. */
  because?: string;
}

export const SHARED_REPORTS: Record<string, ExpectedReport> = {
  'junit/coffee_machine.xml': { tests: 6, status: 'passed' },
  'junit/flaky.xml': {
    ...{ tests: 5, failed: 1, broken: 1, status: 'broken', codes: ['totals_disagree'] },
    because: 'it states 1 failure and 2 errors, and one of each is there',
  },
  'junit/jest.xml': { tests: 6, failed: 4, skipped: 1, status: 'failed' },
  'junit/junit-complete.xml': { tests: 8, failed: 1, broken: 1, skipped: 1, status: 'failed' },
  'junit/mocha.xml': { tests: 109, status: 'passed' },
  'junit/nested.xml': {
    ...{ tests: 5, failed: 3, status: 'failed' },
    because: 'its outer suites state 4 tests and no failure, the suite inside them 5 and 3',
  },
  'junit/nextest.xml': { tests: 3, failed: 1, status: 'failed' },
  'junit/pulsar.xml': { tests: 808, failed: 1, skipped: 14, status: 'failed' },
  'junit/pytest.xml': { tests: 35, skipped: 2, status: 'passed' },
  'junit/retries.xml': {
    ...{ tests: 8, failed: 2, skipped: 1, status: 'failed' },
    because: 'it states 5 tests where retried ones are listed twice: 7; and has < in attributes',
  },
  'junit/sphinx_needs_demo.xml': { tests: 4, failed: 3, skipped: 1, status: 'failed' },
  'junit/testcase-properties.xml': { tests: 1, status: 'passed', because: 'it states nothing' },
  'junit/invalid/corrupt.xml': {
    ...{ tests: 1, failed: 1, status: 'broken', codes: ['cut_off'] },
    because: 'it is cut off in the output of its only test',
  },
  'ctrf/report.json': {
    ...{ tests: 10, failed: 2, skipped: 2, unknown: 1, flaky: 3, status: 'failed' },
    because: 'its summary agrees; it lacks what the schema requires, and its suites are texts',
  },
};

/** Its totals. */
export function totalsOf({
  tests,
  failed = 0,
  broken = 0,
  skipped = 0,
  unknown = 0,
  flaky = 0,
}: ExpectedReport) {
  const passed = tests - failed - broken - skipped - unknown;
  return { tests, passed, failed, broken, skipped, unknown, flaky };
}
