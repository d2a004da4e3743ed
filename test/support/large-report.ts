// Reports that are large enough to be read in a worker.

export const LARGE_CASES = 2000;

/** JUnit of one suite; every case passed and names the story US-1. */
export function largeReport(suite: string, cases = LARGE_CASES): string {
  const text = 'x'.repeat(100);
  const tests = Array.from(
    { length: cases },
    (_, at) => `<testcase name="case ${at} [US-1]" classname="${suite}.${text}" time="0.001"/>`,
  );
  return `<testsuite name="${suite}" tests="${cases}">${tests.join('\n')}</testsuite>`;
}
