// The fingerprint of a scenario: what a result or a verdict of it is one of.
import { hash } from 'node:crypto';

/** SHA-256 over a scenario's steps and examples, `s1:` before it. */
export function scenarioFingerprint({
  steps,
  examples,
}: {
  steps: readonly { keyword: string; text: string }[];
  examples: readonly (readonly string[])[];
}): string {
  // The keys in the order of RFC 8785; of strings and arrays JSON.stringify is canonical.
  const said = steps.map(({ keyword, text }) => ({ keyword: keyword.trim(), text: text.trim() }));
  return `s1:${hash('sha256', JSON.stringify({ examples, steps: said }), 'hex')}`;
}
