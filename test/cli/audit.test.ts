// Commands record what they change in the project's log, with and without a running server.
import { expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openWorkplace } from '../support/running-executable.ts';

interface Entry {
  fields: { action: string; by: { tokenId: string } };
}

test('tokens, credentials, projects and imports are recorded [PQRS-65]', async () => {
  const place = await openWorkplace('audit');
  const made = async (args: string[], input?: string) => {
    const { code, out, err } = await place.run([...args, '--json'], {}, input);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return JSON.parse(out) as { id: string };
  };
  writeFileSync(join(place.folder, 'shop.md'), '- SHOP-1: Cart\n');
  await made(['init']);
  const { id } = await made(['token', 'create', '--capability', 'srs:edit']);
  await made(['credential', 'set', 'PASSWORD'], 'canary');
  await made(['import', 'shop.md']);
  const server = await place.serve();
  await made(['token', 'revoke', id]);
  await made(['credential', 'rm', 'PASSWORD']);
  await made(['project', 'create', 'Other']);
  const token = readFileSync(join(place.folder, 'pqrs-data', 'owner.token'), 'utf8').trim();
  const answer = await fetch(`${server.address}/api/system-logs?source=pqrs&level=info`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const text = await answer.text();
  const { items } = JSON.parse(text) as { items: Entry[] };
  const events = items.map(({ fields }) => `${fields.by.tokenId} ${fields.action}`);
  expect(events.reverse()).toEqual([
    'service project.created',
    'service token.created',
    'command-line token.created',
    'command-line credential.set',
    'command-line revision.imported',
    'command-line token.revoked',
    'command-line credential.removed',
  ]);
  expect(text).not.toContain('canary');
  await server.stop();
});
