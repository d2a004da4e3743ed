// What a request may hold of scenarios.

/** How many. */
export const SCENARIOS_MOST = 1000;

/** Characters of their steps and examples together: what a background says is said in each of them. */
export const CONTENT_MOST = 16 * 1024 * 1024;
