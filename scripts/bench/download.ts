// A large file by its signed link, against Bun.serve answering the same file.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Bench, short, whole } from './bench.ts';
import { openClient } from './client.ts';
import { runLoad } from './load.ts';
import { requestBytes } from './requests.ts';
import { startPqrs, startProgram } from './running.ts';
import { issueBody } from './seed.ts';
import { median } from './statistics.ts';

const BYTES = 100 * 2 ** 20;
const ROUNDS = 7;
const DOWNLOADS = 8;
const AT_LEAST = 0.7;

export const download: Bench = async ({ pqrs, bare, say }) => {
  const server = await startPqrs(pqrs);
  const { token } = server;
  const client = await openClient(server.port);
  const { id } = await client.askJson<{ id: string }>(
    { method: 'POST', path: '/api/issues', token, json: issueBody(1) },
    201,
  );
  const { url, sha256 } = await client.askJson<{ url: string; sha256: string }>(
    {
      method: 'POST',
      path: `/api/issues/${id}/attachments`,
      token,
      headers: {
        'Content-Type': 'application/octet-stream',
        'Content-Disposition': 'attachment; filename="trace.bin"',
      },
      body: Buffer.alloc(BYTES, 'The quick brown fox jumps over the lazy dog. '),
    },
    201,
  );
  client.close();
  const file = findFile(join(server.dataDir, 'files'), sha256);
  const base = await startProgram([bare], { BARE_FILE: file });
  const rates: [number, number][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const [a, b] = [await measure(server.port, url), await measure(base.port, '/file')];
    rates.push([a, b]);
    say(`download ${whole(a)} MiB/s, Bun.file ${whole(b)} MiB/s`);
  }
  await Promise.all([server.stop(), base.stop()]);
  const ratio = median(rates.map(([a, b]) => a / b));
  return [
    {
      work: 'download of a 100 MiB file by a signed link',
      measured: `${short(ratio)} of Bun.serve with Bun.file: ${whole(median(rates.map(([a]) => a)))} MiB/s against ${whole(median(rates.map(([, b]) => b)))} MiB/s`,
      limit: `at least ${AT_LEAST}`,
      ok: ratio >= AT_LEAST,
    },
  ];
};

async function measure(port: number, path: string): Promise<number> {
  const { bytes, seconds } = await runLoad({
    ...{ port, connections: 1, seconds: 60, most: DOWNLOADS, warmupSeconds: 0, status: 200 },
    requests: [requestBytes({ method: 'GET', path }).toString('base64')],
  });
  return bytes / 2 ** 20 / seconds;
}

function findFile(folder: string, sha256: string): string {
  const found = readdirSync(folder, { recursive: true }).find((path) =>
    String(path).endsWith(sha256),
  );
  return join(folder, String(found));
}
