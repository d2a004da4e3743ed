// Priorities as people write them, on one scale.

const LEVELS = new Map<string, number>([
  ...levels(1, 'blocker critical highest urgent must p0'),
  ...levels(0.8, 'high major p1'),
  ...levels(0.5, 'medium normal moderate should p2'),
  ...levels(0.3, 'low minor could p3'),
  ...levels(0.1, 'lowest trivial wont p4 p5'),
]);

/** The priority of what says none, or says it in words that are not known. */
export const MIDDLE_PRIORITY = 0.5;

/**
 * Reads a priority: MoSCoW, high to low, blocker to trivial, P0 to P5, or a number of which 1 is
 * the highest and 5 the lowest. Case and what follows the first word do not matter.
 *
 * @returns 0 to 1, the higher the more urgent
 */
export function priorityLevel(priority: string | null | undefined): number {
  if (priority === null || priority === undefined) return MIDDLE_PRIORITY;
  const word =
    priority
      .trim()
      .toLowerCase()
      .replace(/[’']/g, '')
      .split(/[^a-z0-9]+/, 1)[0] ?? '';
  if (/^\d+$/.test(word)) return [1, 1, 0.8, 0.5, 0.3, 0.1][Number(word)] ?? 0.1;
  return LEVELS.get(word) ?? MIDDLE_PRIORITY;
}

function levels(level: number, words: string): [string, number][] {
  return words.split(' ').map((word) => [word, level]);
}
