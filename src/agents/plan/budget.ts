// What a plan may hold: so many items, so much time.
import type { PlanRequest } from './model.ts';

export interface Budget {
  /** Takes an item where it fits; false where it does not, and then it never will. */
  take(estimateMs: number): boolean;
}

/** Opens the budget of a request; one that says no limits holds everything. */
export function openBudget({ budgetMs, maxItems }: PlanRequest): Budget {
  let leftMs = budgetMs ?? Number.POSITIVE_INFINITY;
  let leftItems = maxItems ?? Number.POSITIVE_INFINITY;
  return {
    take(estimateMs) {
      if (leftItems < 1 || estimateMs > leftMs) return false;
      leftItems -= 1;
      leftMs -= estimateMs;
      return true;
    },
  };
}
