// Reads what `bun test` says at its end, and says it in one line. Bun's JUnit file is no source for
// it: it leaves out the files that failed to load.

/**
 * @typedef {{ passed: number, failed: number, skipped: number }} Summary
 * @typedef {Summary & { failures: string[] }} Ended
 */

/**
 * Counts the tests of a run. A run that failed has at least one failure, whatever it printed (a
 * crash prints nothing), and so has a run without a single test.
 * @param {string} output what `bun test` wrote to standard error
 * @param {number} exitCode
 * @returns {Summary}
 */
export function summarize(output, exitCode) {
  const tail = withoutColours(output.slice(-4000));
  const count = (/** @type {string} */ word) => {
    const matches = [...tail.matchAll(new RegExp(`^ *(\\d+) ${word}s?$`, 'gm'))];
    return Number(matches.at(-1)?.[1] ?? 0);
  };
  const passed = count('pass');
  const skipped = count('skip') + count('todo');
  const failed = Math.max(count('fail'), count('error'));
  const broken = exitCode !== 0 || passed + failed + skipped === 0;
  return { passed, failed: broken ? Math.max(failed, 1) : failed, skipped };
}

/**
 * The tests that failed, each with its file: they are far up in what was printed.
 * @param {string} output what `bun test` wrote to standard error
 * @returns {string[]}
 */
export function failuresIn(output) {
  /** @type {Map<string, string>} */
  const files = new Map();
  let file = '';
  for (const line of withoutColours(output).split('\n')) {
    if (/^\S+\.ts:$/.test(line)) file = line;
    const [, test] = /^(?:\(fail\)|✗) (.*)$/.exec(line) ?? [];
    // Bun says them again at its end, behind another file.
    if (test !== undefined && !files.has(test)) files.set(test, file);
  }
  return [...files].map(([test, of]) => `${of} ${test}`);
}

/**
 * The last line of `npm test`.
 * @param {Summary} summary
 * @returns {string} `N passed, M failed`, with `, K skipped` where tests were skipped
 */
export function summaryLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** @param {string} text */
function withoutColours(text) {
  const esc = String.fromCharCode(27);
  return text.replaceAll(new RegExp(`${esc}\\[[0-9;]*m`, 'g'), '');
}
