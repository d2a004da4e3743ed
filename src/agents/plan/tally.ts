// Means of what orders reach over many cycles, beside a random and the best order of each.
import { apfd, apfdc, type Executed, optimalOrder, randomExpectation } from './apfd.ts';

/** A measure beside what it is measured against, each a mean over cycles; null where there is none. */
export interface Measure {
  planned: number | null;
  random: number | null;
  optimal: number | null;
}

export interface Figures {
  /** The cycles that say something: some of their runs failed and some did not. */
  cycles: number;
  apfd: Measure;
  apfdc: Measure;
}

/** Opens the sums; what is added must hold a failure. */
export function openTally() {
  const sums = { apfd: openMeasure(), apfdc: openMeasure() };
  let cycles = 0;
  return {
    add(order: readonly Executed[]) {
      cycles += 1;
      const best = optimalOrder(order);
      const random = randomExpectation(order) as number;
      const found = { apfd: apfd(order) as number, apfdc: apfdc(order) as number };
      sums.apfd.add(found.apfd, random, apfd(best) as number);
      sums.apfdc.add(found.apfdc, random, apfdc(best) as number);
      return found;
    },
    figures: (): Figures => ({
      cycles,
      apfd: sums.apfd.mean(cycles),
      apfdc: sums.apfdc.mean(cycles),
    }),
  };
}

function openMeasure() {
  let [planned, random, optimal] = [0, 0, 0];
  return {
    add(own: number, chance: number, best: number) {
      planned += own;
      random += chance;
      optimal += best;
    },
    mean(cycles: number): Measure {
      if (cycles === 0) return { planned: null, random: null, optimal: null };
      return { planned: planned / cycles, random: random / cycles, optimal: optimal / cycles };
    },
  };
}
