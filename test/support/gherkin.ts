// Requests that send Gherkin.
import type { Sending } from './client.ts';

/** What sends a text as Gherkin, beside what else is sent. */
export function gherkin(text: string, sending: Sending = {}): Sending {
  const headers = { ...sending.headers, 'content-type': 'text/x-gherkin' };
  return { ...sending, body: text, headers };
}
