// What is wrong in a Gherkin text, by line: every line is counted, and of a bounded number is kept what.

/** Something that the parser could not take. */
export interface GherkinFault {
  /** From 1. */
  line: number;
  detail: string;
  /** Whether nothing is lost by it that says what is wanted. */
  isMinor?: boolean;
}

/** How many of the parser's faults are kept; the others are counted. */
const MOST_KEPT = 1000;

/** The faults of a text that are told. */
export interface ToldFaults {
  /** By line; the first of each. */
  told: GherkinFault[];
  /** How many lines with faults there are beside; none where few are told. */
  more: number;
}

/** The faults of a text: the first of each line, since those after it say the same in other terms. */
export class FaultList {
  readonly #kept: GherkinFault[] = [];
  readonly #told: Uint8Array;
  #room = MOST_KEPT;
  #count = 0;

  /**
   * @param lines - how many the text has
   * @param known - faults that are kept whatever their number
   */
  constructor(lines: number, known: readonly GherkinFault[] = []) {
    this.#told = new Uint8Array(lines + 2);
    for (const fault of known) {
      if (this.#isFirst(fault)) this.#kept.push(fault);
    }
  }

  add(fault: GherkinFault): void {
    if (!this.#isFirst(fault)) return;
    this.#room--;
    if (this.#room >= 0) this.#kept.push(fault);
  }

  result(): ToldFaults {
    const told = this.#kept.sort((a, b) => a.line - b.line).slice(0, MOST_KEPT);
    return { told, more: this.#count - told.length };
  }

  #isFirst({ line }: GherkinFault): boolean {
    if (this.#told[line] === 1) return false;
    this.#told[line] = 1;
    this.#count++;
    return true;
  }
}
