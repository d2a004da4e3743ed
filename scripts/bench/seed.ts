// Issues to measure with, filed through the API as fast as it takes them.
import { type LoadPlan, runLoad } from './load.ts';
import { requestBytes } from './requests.ts';

/** A word in every second issue. */
export const FREQUENT_WORD = 'checkout';
/** A word in twenty issues. */
export const RARE_WORD = 'zirconium';
const RARE_ISSUES = 20;
const VARIANTS = 2000;

const WORDS =
  'button label order payment page form field image layout scroll error network timeout cache login session profile upload preview report filter search table chart export import browser mobile desktop release build retry queue worker banner footer header menu dialog tooltip currency address invoice'.split(
    ' ',
  );

/** A body for `POST /issues`, the same for the same number; the texts differ. */
export function issueBody(variant: number, word?: string): Record<string, unknown> {
  const pick = (step: number) => WORDS[(variant * 7 + step * (1 + (variant % 13))) % WORDS.length];
  const some = (count: number, from: number) =>
    Array.from({ length: count }, (_, index) => pick(index + from)).join(' ');
  const named = word ?? (variant % 2 === 0 ? FREQUENT_WORD : 'basket');
  return {
    title: `The ${named} ${some(4, 1)} does not answer (${variant})`,
    description: `Steps: ${some(12, 5)}. Expected ${some(5, 20)}, got ${some(5, 30)}.`,
    severity: ['blocker', 'critical', 'major', 'minor', 'trivial'][variant % 5],
    labels: ['web', `area-${variant % 10}`],
    build: `2026.${variant % 12}.0`,
    environment: 'staging',
    url: `https://shop.example/${pick(3)}/${variant}`,
  };
}

/** Requests that file different issues, as a load plan takes them. */
export function issueRequests(token: string, count: number, word?: string): string[] {
  return Array.from({ length: count }, (_, variant) =>
    requestBytes({ method: 'POST', path: '/api/issues', token, json: issueBody(variant, word) }),
  ).map((bytes) => bytes.toString('base64'));
}

/** Files so many issues, with the rare word in some in their middle. */
export async function seedIssues(
  server: { port: number; token: string },
  count: number,
): Promise<void> {
  const plan = (most: number, requests: string[]): LoadPlan => ({
    ...{ port: server.port, connections: 64, seconds: 3600, warmupSeconds: 0, status: 201 },
    ...{ most, requests },
  });
  const usual = issueRequests(server.token, Math.min(VARIANTS, count));
  const half = Math.floor((count - RARE_ISSUES) / 2);
  await runLoad(plan(half, usual));
  await runLoad(plan(RARE_ISSUES, issueRequests(server.token, RARE_ISSUES, RARE_WORD)));
  await runLoad(plan(count - RARE_ISSUES - half, usual));
}
