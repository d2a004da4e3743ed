// The tables and doc strings of a Gherkin text that stand below a line that could not be read: they
// are arguments of that line, and not of the step before it.
import type { GherkinFault } from './gherkin-faults.ts';

type Kind = 'table' | 'doc string';

interface LostArgument {
  kind: Kind;
  /** The first and the last line of it, from 0. */
  from: number;
  to: number;
}

/** The arguments that are left out of a text. */
export class LostArguments {
  readonly #lost: LostArgument[] = [];
  #isOpen = false;

  /** Begins one at a line, from 0, or goes on with the table that is open. */
  add(kind: Kind, at: number): void {
    const last = this.#lost.at(-1);
    if (this.#isOpen && kind === 'table' && last?.kind === kind) last.to = at;
    else this.#lost.push({ kind, from: at, to: at });
    this.#isOpen = true;
  }

  /** Goes on with the doc string that is open. */
  extend(at: number): void {
    const last = this.#lost.at(-1);
    if (last) last.to = at;
  }

  /** A line that is of none. */
  end(): void {
    this.#isOpen = false;
  }

  /** One for each, at its first line. */
  faults(): GherkinFault[] {
    return this.#lost.map(({ kind, from, to }) => {
      const lines = from === to ? `line ${from + 1}` : `lines ${from + 1} to ${to + 1}`;
      const detail = `The ${kind} on ${lines} stands below a line that could not be read; it is left out with that line.`;
      return { line: from + 1, detail };
    });
  }
}
