// The robot tests of ABB (IOF/ROL), published with RETECS (Spieker et al., ISSTA 2017): which tests ran
// in which cycle, how they ended and how long they take.
import { readFileSync } from 'node:fs';
import type { PastRun } from '../../src/agents/plan/replay.ts';

/** Reads the runs from the file `iofrol.csv`, the oldest cycle first. */
export function readIofrol(path: string): PastRun[] {
  const [head = '', ...lines] = readFileSync(path, 'utf8').trim().split('\n');
  const columns = head.split(';');
  const [name, duration, verdict, cycle] = ['Name', 'Duration', 'Verdict', 'Cycle'].map((column) =>
    columns.indexOf(column),
  ) as [number, number, number, number];
  return lines.map((line) => {
    const fields = line.split(';');
    return {
      commandId: fields[name] as string,
      cycle: fields[cycle] as string,
      outcome: fields[verdict] === '1' ? 'failed' : 'passed',
      durationMs: Number(fields[duration]),
      flaky: false,
    };
  });
}
