// What the system tells of a process: its memory and the processor time it has used.
import { readdirSync, readFileSync } from 'node:fs';

/** Resident memory of a process, bytes. */
export function residentBytes(pid: number): number {
  if (process.platform === 'linux') {
    const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kilobytes ?? 0) * 1024;
  }
  const { stdout } = Bun.spawnSync(['ps', '-o', 'rss=', '-p', String(pid)]);
  return Number(stdout.toString().trim()) * 1024;
}

/** Processor time that a process's threads have used, milliseconds; NaN where nobody says. */
export function processorMs(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN;
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks).reduce((sum, task) => {
    const [nanoseconds] = readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ');
    return sum + Number(nanoseconds) / 1e6;
  }, 0);
}

/** Follows the memory of a process until it is stopped: bytes, with seconds since the start. */
export function followMemory(
  pid: number,
  everyMs: number,
): { points: [seconds: number, bytes: number][]; stop(): void } {
  const began = performance.now();
  const points: [number, number][] = [];
  const look = () => {
    try {
      points.push([(performance.now() - began) / 1000, residentBytes(pid)]);
    } catch {
      clearInterval(timer);
    }
  };
  const timer = setInterval(look, everyMs);
  look();
  return {
    points,
    stop() {
      look();
      clearInterval(timer);
    },
  };
}
