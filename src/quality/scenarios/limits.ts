// What a request may hold of scenarios.

/** How many. */
export const MAX_SCENARIOS = 1000;

/** Characters of their steps and examples together: what a background says is said in each of them. */
export const MAX_CONTENT = 16 * 1024 * 1024;
