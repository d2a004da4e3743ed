// Texts of the sources as keys, titles and bodies of requests may have them.

const [MAX_NAME_LENGTH, MAX_NUMBER_LENGTH] = [300, 10];

/**
 * A text as a key that is not taken, numbered where it would be.
 * @param isTaken - whether something has a key, in whatever state it is
 */
export function freeKey(text: string, isTaken: (key: string) => boolean): string {
  const key = onOneLine(text)
    .slice(0, MAX_NAME_LENGTH - MAX_NUMBER_LENGTH)
    .trim()
    .toWellFormed();
  for (let number = 1; ; number += 1) {
    const numbered = number === 1 ? key : `${key} ${number}`;
    if (!isTaken(numbered)) return numbered;
  }
}

/** The first id of the form `<prefix>-<number>` that is not taken. */
export function freeId(prefix: string, isTaken: (id: string) => boolean): string {
  for (let number = 1; ; number += 1) {
    const id = `${prefix}-${number}`;
    if (!isTaken(id)) return id;
  }
}

export function onOneLine(text: string): string {
  const line = text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .slice(0, MAX_NAME_LENGTH)
    .trim();
  return line.toWellFormed();
}

export function sendable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
