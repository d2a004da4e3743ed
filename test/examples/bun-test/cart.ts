export interface Entry {
  price: number;
  count: number;
}

export function total(entries: Entry[]): number {
  return entries.reduce((sum, { price, count }) => sum + price * count, 0);
}
