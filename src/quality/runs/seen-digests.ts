// Which digests were seen, as 64 bits of each in a table of open addresses: a hundred thousand texts
// in a set take more memory than all else that reading their report does.

const SLOTS_AT_FIRST = 1024;

/**
 * Begins with none.
 *
 * @returns a function that takes a digest, random to its last character, and tells whether it came
 * before; of a hundred thousand different ones, two are taken for one once in four thousand million
 */
export function createSeenDigests(): (digest: string) => boolean {
  let slots = new Uint32Array(2 * SLOTS_AT_FIRST);
  let count = 0;

  /** Whether it was there; else it is now. */
  function put(table: Uint32Array, low: number, high: number): boolean {
    const mask = table.length / 2 - 1;
    for (let at = low & mask; ; at = (at + 1) & mask) {
      const [found, beside] = [table[2 * at], table[2 * at + 1]];
      if (found === low && beside === high) return true;
      if (found !== 0 || beside !== 0) continue;
      table[2 * at] = low;
      table[2 * at + 1] = high;
      return false;
    }
  }

  function grow(): void {
    const larger = new Uint32Array(2 * slots.length);
    for (let at = 0; at < slots.length; at += 2) {
      const [low = 0, high = 0] = [slots[at], slots[at + 1]];
      if (low !== 0 || high !== 0) put(larger, low, high);
    }
    slots = larger;
  }

  return (digest) => {
    const half = digest.length >> 1;
    const low = bitsOf(digest, 0, half);
    // Never 0: two zeros are a free place.
    if (put(slots, low, bitsOf(digest, half, digest.length) || 1)) return true;
    count += 1;
    if (4 * count > slots.length) grow();
    return false;
  };
}

/** 32 bits of a part of a text: FNV-1a. */
function bitsOf(text: string, from: number, to: number): number {
  let bits = 0x811c9dc5;
  for (let at = from; at < to; at += 1) bits = Math.imul(bits ^ text.charCodeAt(at), 0x01000193);
  return bits >>> 0;
}
