// A database file with damage at a page of it.
import { readFileSync, writeFileSync } from 'node:fs';

/** Numbers that are as good as random, the same for each seed. */
export function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** The pages of a closed database that are in use, from 1 (sqlite.org/fileformat2.html, 1.3 and 1.5). */
export function pagesInUse(path: string): number[] {
  const bytes = readFileSync(path);
  const size = bytes.readUInt16BE(16) === 1 ? 65_536 : bytes.readUInt16BE(16);
  const free = new Set<number>();
  for (let trunk = bytes.readUInt32BE(32); trunk !== 0; ) {
    free.add(trunk);
    const at = (trunk - 1) * size;
    const leaves = bytes.readUInt32BE(at + 4);
    for (let leaf = 0; leaf < leaves; leaf += 1) free.add(bytes.readUInt32BE(at + 8 + 4 * leaf));
    trunk = bytes.readUInt32BE(at);
  }
  const count = Math.floor(bytes.byteLength / size);
  return Array.from({ length: count }, (_, at) => at + 1).filter((page) => !free.has(page));
}

/** Overwrites a page with 0xff; gives what puts it back. */
export function overwritePage(path: string, page: number): () => void {
  const bytes = readFileSync(path);
  const size = bytes.readUInt16BE(16) === 1 ? 65_536 : bytes.readUInt16BE(16);
  writeFileSync(path, Buffer.from(bytes).fill(0xff, (page - 1) * size, page * size));
  return () => writeFileSync(path, bytes);
}
