// What time does: tokens and links that run out, notices once a minute, and links that die with
// what they were made for. The clock is moved.
import { describe, expect, test } from 'bun:test';
import { type Ask, askerOf } from '../support/asker.ts';
import { type Instance, openInstance } from '../support/instance.ts';
import type { Attachment, Issue, LogEntry, Page } from '../support/shapes.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

async function open(flags: Record<string, string | boolean> = {}) {
  const instance = await openInstance(flags);
  const project = await instance.makeProject('default', { demo: true });
  const make = (capability: string, options = {}) =>
    instance.makeToken(project.id, [capability], options);
  const ask = askerOf(instance, project.token);
  return { instance, project, owner: project.token, make, ask };
}

async function fileWith(ask: Ask, token?: string): Promise<Attachment> {
  const as = token === undefined ? {} : { token };
  const issue = await ask('/api/issues', { ...as, json: { title: 'x' } });
  const answer = await ask(`/api/issues/${issue.must(201).json<Issue>().id}/attachments`, {
    ...as,
    method: 'POST',
    headers: { 'content-type': 'text/plain', 'content-disposition': 'attachment; filename=a.txt' },
    body: 'content',
  });
  return answer.must(201).json<Attachment>();
}

/** The link that a token gets to the attachment. */
async function linkFor(
  ask: Ask,
  { issueId }: Attachment,
  token: string,
  query = '',
): Promise<string> {
  const answer = await ask(`/api/issues?id=${issueId}${query}`, { token });
  return answer.must(200).json<Issue>().attachments[0]!.url;
}

describe('a token [PQRS-66]', () => {
  test('is good until its time', async () => {
    const { instance, make, ask } = await open();
    const { text } = await make('srs:edit', { expiresAt: Date.now() + 10 * MINUTE });
    (await ask('/api/issues', { token: text })).must(200);
    instance.pass(10 * MINUTE - 2000);
    (await ask('/api/issues', { token: text })).must(200);
    instance.pass(2000);
    (await ask('/api/issues', { token: text })).mustBe(401, 'unauthorized');
    await instance.close();
  });

  test('that is revoked is refused at once, everywhere, for good [PQRS-69]', async () => {
    const { instance, make, ask } = await open();
    const { id, text } = await make('project:owner');
    const attachment = await fileWith(ask, text);
    const link = await linkFor(ask, attachment, text);
    await instance.evidence.tokens.revoke(id, Date.now());
    for (const path of [
      '/api/issues',
      `/api/issues?id=${attachment.issueId}`,
      ...['/api/system-logs', '/api/projects', '/api/health', '/metrics'],
      link,
    ]) {
      (await ask(path, { token: text })).mustBe(401, 'unauthorized');
    }
    (await ask(link, { token: null })).mustBe(403, 'signature_invalid');
    instance.pass(DAY);
    (await ask('/api/issues', { token: text })).mustBe(401, 'unauthorized');
    await instance.close();
  });

  test('that is revoked stays so over a restart', async () => {
    const { instance, make, owner } = await open();
    const { id, text } = await make('srs:edit');
    await instance.evidence.tokens.revoke(id, Date.now());
    const { dataDir } = instance.evidence.config;
    await instance.close();
    const again = await openInstance({}, { dataDir });
    const ask = askerOf(again, owner);
    (await ask('/api/issues', { token: text })).mustBe(401, 'unauthorized');
    (await ask('/api/issues')).must(200);
    await again.close();
  });
});

describe('a link [PQRS-62]', () => {
  test('is good until its time, and expired from then on', async () => {
    const { instance, ask } = await open();
    const { url } = await fileWith(ask);
    const expires = Number(new URL(url, 'http://a').searchParams.get('expires')) * 1000;
    instance.pass(expires - Date.now() - 1500);
    (await ask(url, { token: null })).must(200);
    instance.pass(1500);
    for (const token of [null, undefined]) {
      (await ask(url, token === null ? { token } : {})).mustBe(403, 'signature_expired');
    }
    (
      await ask(
        url.replace(/signature=(.)/, (_, first) => `signature=${first === 'A' ? 'B' : 'A'}`),
        { token: null },
      )
    ).mustBe(403, 'signature_invalid');
    (
      await ask(url.replace(/expires=\d+/, `expires=${expires / 1000 + 300}`), { token: null })
    ).mustBe(403, 'signature_invalid');
    await instance.close();
  });

  test('dies with the token that it was made for; that of another lives on', async () => {
    const { instance, make, ask } = await open();
    const attachment = await fileWith(ask);
    const [one, two] = [await make('srs:edit'), await make('agent:execute')];
    const [first, second] = [
      await linkFor(ask, attachment, one.text),
      await linkFor(ask, attachment, two.text),
    ];
    await instance.evidence.tokens.revoke(one.id, Date.now());
    (await ask(first, { token: null })).mustBe(403, 'signature_invalid');
    (await ask(first)).mustBe(403, 'signature_invalid');
    (await ask(second, { token: null })).must(200);
    await instance.close();
  });

  test('dies when the token that it was made for expires', async () => {
    const { instance, make, ask } = await open();
    const { text } = await make('srs:edit', { expiresAt: Date.now() + MINUTE });
    const link = await linkFor(ask, await fileWith(ask), text, '&linkTtl=604800');
    (await ask(link, { token: null })).must(200);
    instance.pass(MINUTE);
    (await ask(link, { token: null })).mustBe(403, 'signature_invalid');
    await instance.close();
  });

  test('of a demo token dies with the demo [PQRS-70]', async () => {
    const { instance, make, ask } = await open({ demo: true });
    const link = await linkFor(ask, await fileWith(ask), (await make('read:demo')).text);
    (await ask(link, { token: null })).must(200);
    const off = { slug: 'default', settings: { demo: false } };
    (await ask('/api/projects', { json: off })).must(200);
    (await ask(link, { token: null })).mustBe(403, 'signature_invalid');
    await instance.close();
  });

  test("of a widget does not open what it did not attach, even with its token's name in it", async () => {
    const { instance, make, ask } = await open();
    const widget = await make('widget:write');
    const own = await fileWith(ask, widget.text);
    (await ask(own.url, { token: null })).must(200);
    const { linkPath } = await import('../../src/evidence/attachments/links.ts');
    const foreign = await fileWith(ask);
    const link = linkPath(instance.evidence.signingKeys, {
      projectId: projectOf(instance),
      key: foreign.key,
      tokenId: widget.id,
      expires: Math.ceil(Date.now() / 1000) + 600,
    });
    (await ask(link, { token: null })).mustBe(403, 'signature_invalid');
    await instance.close();
  });

  test("in the name of another project's token opens nothing, however well it is signed [PQRS-68]", async () => {
    const { instance, ask } = await open();
    const other = await instance.makeProject('other');
    const stranger = await instance.makeToken(other.id, ['project:owner']);
    const file = await fileWith(ask);
    const { linkPath } = await import('../../src/evidence/attachments/links.ts');
    const link = linkPath(instance.evidence.signingKeys, {
      projectId: projectOf(instance),
      key: file.key,
      tokenId: stranger.id,
      expires: Math.ceil(Date.now() / 1000) + 600,
    });
    (await ask(link, { token: null })).mustBe(403, 'signature_invalid');
    (await ask(link)).mustBe(403, 'signature_invalid');
    await instance.close();
  });

  test('made before the keys rotated opens as long as its key is kept [PQRS-92]', async () => {
    const { instance, ask, owner } = await open();
    const { url } = await fileWith(ask);
    const { dataDir } = instance.evidence.config;
    await instance.close();
    const { readdirSync, renameSync, writeFileSync } = await import('node:fs');
    const [old] = readdirSync(`${dataDir}/keys`).filter((name) => name.startsWith('sign-'));
    writeFileSync(`${dataDir}/keys/sign-zzzzzzzzz.key`, new Uint8Array(32).fill(7));
    const rotated = await openInstance({}, { dataDir });
    const askRotated = askerOf(rotated, owner);
    (await askRotated(url, { token: null })).must(200);
    expect((await fileWith(askRotated)).url).toContain('kid=zzzzzzzzz');
    await rotated.close();
    renameSync(`${dataDir}/keys/${old}`, `${dataDir}/gone.key`);
    const forgot = await openInstance({}, { dataDir });
    (await askerOf(forgot, owner)(url, { token: null })).mustBe(403, 'signature_invalid');
    await forgot.close();
  });
});

describe('notices [PQRS-65]', () => {
  const noticed = async (ask: Ask) => {
    await Bun.sleep(30);
    const list = await ask('/api/system-logs?source=pqrs&level=warn&limit=200');
    return list.must(200).json<Page<LogEntry>>().items;
  };

  test('of a known token that is refused come once a minute', async () => {
    const { instance, make, ask } = await open();
    const { id, text } = await make('srs:edit');
    await instance.evidence.tokens.revoke(id, Date.now());
    const refuse = () => ask('/api/issues', { token: text });
    for (let each = 0; each < 5; each += 1) (await refuse()).must(401);
    expect(await noticed(ask)).toHaveLength(1);
    instance.pass(MINUTE + 1000);
    for (let each = 0; each < 5; each += 1) (await refuse()).must(401);
    const entries = await noticed(ask);
    expect(entries).toHaveLength(2);
    expect(entries[0]).toMatchObject({ source: 'pqrs', level: 'warn', fields: { tokenId: id } });
    expect(JSON.stringify(entries)).not.toContain(text.slice(32));
    await instance.close();
  });

  test('of a token without the capability come once a minute for each', async () => {
    const { instance, make, ask } = await open();
    const [one, two] = [await make('agent:execute'), await make('widget:write')];
    for (const token of [one.text, two.text, one.text, two.text]) {
      (await ask('/api/issues/iss_1', { token, method: 'PATCH' })).must(403);
    }
    const entries = await noticed(ask);
    expect(entries.map((entry) => entry.fields!.tokenId).sort()).toEqual([one.id, two.id].sort());
    await instance.close();
  });

  test('of tokens that nobody knows are none of any project', async () => {
    const { instance, ask } = await open();
    for (const token of ['nonsense', `pqrs_${'0'.repeat(26)}_${'0'.repeat(52)}`]) {
      (await ask('/api/issues', { token })).must(401);
    }
    expect(await noticed(ask)).toEqual([]);
    await instance.close();
  });
});

function projectOf(instance: Instance): string {
  return instance.evidence.tokens.projects()[0]!.id;
}
