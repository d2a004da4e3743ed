// What a plan may hold: so many items, so much time.
import type { PlanRequest } from './model.ts';

export interface Budget {
  /** Whether there is room for an item; where there is none, there never will be. */
  fits(estimateMs: number): boolean;
  /** Takes an item where it fits; false where it does not. */
  take(estimateMs: number): boolean;
  /** Whether there is room for an item and for as much again beside it. */
  hasRoomBeside(estimateMs: number): boolean;
}

/** Opens the budget of a request; one that says no limits holds everything. */
export function openBudget({
  budgetMs,
  maxItems,
}: Pick<PlanRequest, 'budgetMs' | 'maxItems'>): Budget {
  let leftMs = budgetMs ?? Number.POSITIVE_INFINITY;
  let leftItems = maxItems ?? Number.POSITIVE_INFINITY;
  const fits = (estimateMs: number) => leftItems >= 1 && estimateMs <= leftMs;
  return {
    fits,
    take(estimateMs) {
      if (!fits(estimateMs)) return false;
      leftItems -= 1;
      leftMs -= estimateMs;
      return true;
    },
    hasRoomBeside: (estimateMs) => leftItems >= 2 && 2 * estimateMs <= leftMs,
  };
}
