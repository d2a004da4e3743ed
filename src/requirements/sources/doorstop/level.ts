// Levels of Doorstop items: the outline number that orders a document. A zero at the end marks a
// heading.

export interface DoorstopLevel {
  parts: number[];
  heading: boolean;
  /** As the source has it, such as `1.10`. */
  text: string;
}

const LEVEL = /^\d{1,9}(?:\.\d{1,9}){0,31}$/;

export const DEFAULT_LEVEL: DoorstopLevel = { parts: [1], heading: true, text: '1.0' };

/**
 * Reads a level from its source text, so that `1.10` stays the tenth under 1.
 * @returns null where it is no sequence of numbers
 */
export function parseLevel(text: string): DoorstopLevel | null {
  const written = text.trim();
  if (written === '' || /^0(?:\.0*)?$/.test(written)) {
    return { parts: [1], heading: false, text: '1' };
  }
  if (!LEVEL.test(written)) return null;
  const parts = written.split('.').map(Number);
  const heading = parts.at(-1) === 0;
  while (parts.at(-1) === 0) parts.pop();
  return { parts, heading, text: written };
}

/** Orders levels by their numbers; a heading's zero does not count. */
export function compareLevels(a: DoorstopLevel, b: DoorstopLevel): number {
  const shared = Math.min(a.parts.length, b.parts.length);
  for (let index = 0; index < shared; index++) {
    const difference = (a.parts[index] ?? 0) - (b.parts[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.parts.length - b.parts.length;
}

export function isBelow(level: DoorstopLevel, above: DoorstopLevel): boolean {
  return (
    level.parts.length > above.parts.length &&
    above.parts.every((part, index) => level.parts[index] === part)
  );
}

export function skipsLevel(before: DoorstopLevel, after: DoorstopLevel): boolean {
  const [from, to] = [withZero(before), withZero(after)];
  const shared = Math.min(from.length, to.length);
  for (let index = 0; index < shared; index++) {
    const [here, there] = [from[index] ?? 0, to[index] ?? 0];
    if (there - here > 1) return true;
    const next = to[index + 1] ?? 0;
    if (there !== here && index + 1 < shared && next !== 0 && next !== 1) return true;
  }
  return false;
}

function withZero(level: DoorstopLevel): number[] {
  return level.heading ? [...level.parts, 0] : level.parts;
}
