// A large JUnit report as bun writes it: every twentieth case failed, every tenth names a story.

export const CASES = 100_000;
const PER_SUITE = 100;
const CHUNK = 64 * 1024;

/** A report of so many cases, in chunks. */
export function* reportChunks(cases: number): Generator<Uint8Array> {
  let text = `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="bun test" tests="${cases}" failures="${cases / 20}" skipped="0" time="10.5">\n`;
  for (let suite = 0; suite < cases / PER_SUITE; suite += 1) {
    const file = `test/unit/part-${suite % 20}/file-${suite}.test.ts`;
    text += `<testsuite name="${file}" file="${file}" tests="${PER_SUITE}" failures="${PER_SUITE / 20}" skipped="0" time="0.1" hostname="vm">\n`;
    for (let at = 0; at < PER_SUITE; at += 1) text += caseOf(file, at);
    text += '</testsuite>\n';
    while (text.length >= CHUNK) {
      yield new TextEncoder().encode(text.slice(0, CHUNK));
      text = text.slice(CHUNK);
    }
  }
  yield new TextEncoder().encode(`${text}</testsuites>\n`);
}

function caseOf(file: string, at: number): string {
  const link = at % 10 === 0 ? ` [US-${at}]` : '';
  const open = `<testcase name="does the ${at}th of its things${link}" classname="" time="0.00${at}" file="${file}" line="${at * 7 + 3}" assertions="2"`;
  if (at % 20 !== 0) return `${open} />\n`;
  return `${open}>\n<failure type="AssertionError" message="expected &lt;${at}&gt;">AssertionError: expected&#10;      at ${file}:${at}:37&#10;</failure>\n</testcase>\n`;
}
