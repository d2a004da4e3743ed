// An instance with what its keys stand for: a link to a file, credentials, bundles; and whether all of it
// is as good as it was.
import { join } from 'node:path';
import { sealedFor, setCredential } from '../../src/agents/credentials.ts';
import { earlierBundleKeys, openBundleKey } from '../../src/store/keys/bundle-key.ts';
import { openSealing } from '../../src/store/keys/sealing-key.ts';
import { credentials } from '../../src/store/tables/agents.ts';
import type { Instance } from './instance.ts';

export interface Keyed {
  projectId: string;
  /** The owner's. */
  token: string;
  /** Signed when the instance was made. */
  link: string;
  /** Every public key of bundles that there was. */
  publicKeys: Set<string>;
}

const CONTENT = 'what the link opens';
const CREDENTIALS = 230;

/** Fills an open instance. */
export async function fillKeyed(instance: Instance): Promise<Keyed> {
  const { evidence } = instance;
  const project = await instance.makeProject('keyed');
  const created = await instance.fetch('/api/issues', {
    method: 'POST',
    token: project.token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'with a file' }),
  });
  const { id } = (await created.json()) as { id: string };
  const attached = await instance.fetch(`/api/issues/${id}/attachments?linkTtl=604800`, {
    method: 'POST',
    token: project.token,
    headers: {
      'content-type': 'text/plain',
      'content-disposition': 'attachment; filename="content.txt"',
    },
    body: CONTENT,
  });
  const { url: link } = (await attached.json()) as { url: string };
  const sealing = await evidence.sealing();
  await evidence.database.write(async (db) => {
    for (let at = 0; at < CREDENTIALS; at += 1) {
      const name = `SECRET_${at}`;
      await setCredential(db, sealing, {
        ...{ projectId: project.id, name, value: secretOf(name), now: 1 },
      });
    }
  });
  const { publicText } = await openBundleKey(keysOf(instance));
  const { id: projectId, token } = project;
  return { projectId, token, link, publicKeys: new Set([publicText]) };
}

/** What of it is lost; nothing where all is well. */
export async function lostOf(instance: Instance, keyed: Keyed): Promise<string[]> {
  const lost: string[] = [];
  const answer = await instance.fetch(keyed.link);
  if ((await answer.text()) !== CONTENT) lost.push(`the link: ${answer.status}`);
  const sealing = await openSealing(keysOf(instance));
  const rows = await instance.evidence.database.read.select().from(credentials);
  const opened = rows.filter(
    (row) => sealing.unseal(row.sealed, sealedFor(row)) === secretOf(row.name),
  );
  if (opened.length !== CREDENTIALS) lost.push(`credentials: ${opened.length} open`);
  const { publicText } = await openBundleKey(keysOf(instance));
  const known = new Set([publicText, ...(await earlierBundleKeys(keysOf(instance)))]);
  for (const key of keyed.publicKeys) if (!known.has(key)) lost.push(`public key ${key}`);
  keyed.publicKeys.add(publicText);
  return lost;
}

function keysOf(instance: Instance): string {
  return join(instance.evidence.config.dataDir, 'keys');
}

function secretOf(name: string): string {
  return `value of ${name}`;
}
