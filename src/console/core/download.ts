// Files that the API writes: a link could not send the token.
import { dataOf, type Problem } from './api.ts';
import { token } from './session.ts';

/**
 * Saves what the API answers under a name.
 * @param path - below the prefix, such as `/project-traceability?format=csv`
 * @throws Problem
 */
export async function download(path: string, name: string): Promise<void> {
  const headers = { authorization: `Bearer ${token() ?? ''}` };
  const file = await dataOf(asReply(fetch(`/api${path}`, { headers })));
  const url = URL.createObjectURL(file as Blob);
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

async function asReply(request: Promise<Response>) {
  const response = await request;
  const { ok, status } = response;
  if (ok) return { data: await response.blob(), error: null, status };
  const value = (await response.json().catch(() => undefined)) as Problem | undefined;
  return { data: null, error: { value }, status };
}
