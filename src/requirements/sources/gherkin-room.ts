// How much the scenarios of a source set may hold: what stands above many is said in each of them.

/** What all scenarios may hold together, in characters. */
const MOST_CONTENT = 32 * 1024 * 1024;
/** What a scenario counts as beside its texts, and each of these beside its characters. */
const SCENARIO_CONTENT = 200;
const TEXT_CONTENT = 20;

/** What scenarios hold, or have in common. */
export interface Said {
  tags: readonly string[];
  steps?: readonly { text: string }[];
  examples?: readonly (readonly string[])[];
}

/** Thrown where there is no room for what comes next. */
export class TooMuch extends Error {
  readonly line: number;
  /** What each scenario there says again. */
  readonly repeated: readonly string[];

  constructor(line: number, { tags, steps = [] }: Said) {
    super('too much');
    this.line = line;
    this.repeated = [
      ...(tags.length > 0 ? ['the tags'] : []),
      ...(steps.length > 0 ? ['the background'] : []),
    ];
  }

  /** @param leftOut - the scenarios of the file that are not kept */
  detail(leftOut: number): string {
    const repeated =
      this.repeated.length > 0 ? `, with ${this.repeated.join(' and ')} in each` : '';
    const what =
      leftOut === 0
        ? 'the rest of this file is'
        : `${leftOut} ${leftOut === 1 ? 'scenario' : 'scenarios'} of this file ${leftOut === 1 ? 'is' : 'are'}`;
    return `The scenarios hold more than is kept together${repeated}; ${what} left out.`;
  }
}

/** The room that is left. */
export class Room {
  #left = MOST_CONTENT;

  /**
   * @param above - what is above a scenario, and so in it
   * @throws TooMuch where less than that is left
   */
  take(said: Said, above: Said, line: number): void {
    this.#left -= contentOf(said);
    if (this.#left < 0) throw new TooMuch(line, above);
  }
}

function contentOf({ tags, steps = [], examples = [] }: Said): number {
  let content = SCENARIO_CONTENT;
  for (const tag of tags) content += TEXT_CONTENT + tag.length;
  for (const { text } of steps) content += TEXT_CONTENT + text.length;
  for (const row of examples) {
    for (const cell of row) content += TEXT_CONTENT + cell.length;
  }
  return content;
}
