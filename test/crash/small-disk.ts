// A small disk of its own for a test: a tmpfs, where this user may mount one.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../scripts/bench/running.ts';

export interface SmallDisk {
  path: string;
  /** Makes it read-only, or writable again. */
  remount(options: 'ro' | 'rw'): void;
  unmount(): void;
}

/** Mounts a disk of so many mebibytes; where that is not allowed gives the reason instead. */
export function mountSmallDisk(mebibytes: number): SmallDisk | string {
  const path = join(temporaryFolder(), 'disk');
  mkdirSync(path);
  const complaint = run('mount', '-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', path);
  if (complaint !== undefined) return `no file system can be mounted here: ${complaint}`;
  return {
    path,
    remount(options) {
      const failed = run('mount', '-o', `remount,${options}`, path);
      if (failed !== undefined) throw new Error(failed);
    },
    unmount() {
      run('umount', '--lazy', path);
    },
  };
}

function run(...command: string[]): string | undefined {
  try {
    const { exitCode, stderr } = Bun.spawnSync(command);
    return exitCode === 0 ? undefined : stderr.toString().trim();
  } catch (error) {
    return String(error);
  }
}
