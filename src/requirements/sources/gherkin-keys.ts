// The keys of scenarios, which stay while the titles do, wherever the file is.

interface Place {
  path: string;
  line: number;
}

/** The key of a scenario. */
export interface ScenarioKey {
  key: string;
  /** The number at the end of the key, where another has the same titles; 1 where there is none. */
  number: number;
  /** The scenario that has the key without the number; null where there is none. */
  first: Place | null;
}

/** The keys that are given. */
export class ScenarioKeys {
  readonly #known = new Map<string, { count: number; first: Place }>();

  /**
   * Feature, rule and scenario, and from the second of the same titles on its number.
   *
   * @param titles - of feature, rule and scenario
   * @param place - where the scenario stands
   */
  give(titles: readonly string[], place: Place): ScenarioKey {
    const base = titles.filter((title, at) => title !== '' || at !== 1).join(' / ');
    const known = this.#known.get(base);
    if (!known) {
      this.#known.set(base, { count: 1, first: place });
      return { key: base, number: 1, first: null };
    }
    let key = base;
    do {
      known.count++;
      key = `${base} #${known.count}`;
    } while (this.#known.has(key));
    this.#known.set(key, { count: 1, first: place });
    return { key, number: known.count, first: known.first };
  }
}
