// Requirement sources become revisions, and revisions are read as graphs and audits.
import { describe, expect } from 'bun:test';
import type { Static } from '@sinclair/typebox';
import type { SourceAuditSummary } from '../../src/requirements/audit/model.ts';
import { FINDING_CODES } from '../../src/requirements/sources/findings.ts';
import type { Client, Sending } from '../support/client.ts';
import { type FormPart, form } from '../support/files.ts';
import { flow } from '../support/flow.ts';
import { definition, object, reqifText, value } from '../support/reqif-documents.ts';
import { makeRequirementProject } from '../support/requirement-project.ts';
import type { Audit, Graph, Node, Page } from '../support/shapes.ts';

const OWN = { ownBecause: 'it makes a project' };
const APART = { ...OWN, compare: false };

const STORIES = `# Checkout

## US-1: Paying once

As a customer I want to pay once.

Acceptance criteria:

- A second press of the button charges nothing

Depends on: US-2

## US-2: A fast receipt

As a customer I want a receipt.
`;

async function makeProject(api: Client, name = '') {
  const project = await makeRequirementProject(api, {}, name);
  return {
    ...project,
    graph: (query?: Sending['query']) => project.get<Graph>('/srs-graph', query),
    audit: (query?: Sending['query']) => project.get<Audit>('/srs-source-audit', query),
  };
}

const byId = ({ nodes }: Graph, id: string) => nodes.find((node) => node.id === id) as Node;

describe('POST /projects with sources [PQRS-4]', () => {
  flow('lists the sources in the order in which one of two is taken', OWN, async (api) => {
    const project = await makeProject(api, 'ordered');
    const story = '# US-1: Paying once\n\nAs a customer I want to pay once.\n';
    await project.bring({ '\uff5e.md': story, '\u{1f600}.md': story, 'a.md': '# A\n' });
    const { sources } = await project.audit();
    const { source } = byId(await project.graph(), 'US-1');
    const paths = sources.map(({ path }) => path);
    expect(paths).toHaveLength(3);
    expect(paths.find((path) => path !== 'a.md')).toBe(source.path);
  });

  flow('takes for the text of ReqIF what it took before, or what is named', OWN, async (api) => {
    const { slug, as, graph, audit } = await makeProject(api, 'text');
    const types = `<SPEC-OBJECT-TYPE IDENTIFIER="T"><SPEC-ATTRIBUTES>${definition('XHTML', 'a', 'Inhalt')}${definition('XHTML', 'b', 'Bemerkung')}</SPEC-ATTRIBUTES></SPEC-OBJECT-TYPE>`;
    const textOf = async (a: string, b: string, more: object = {}) => {
      const values = value('XHTML', 'a', a) + value('XHTML', 'b', b);
      const content = reqifText({ types, objects: object('R', values) });
      const sources = [{ path: 'a.reqif', content, ...more }];
      (await api.post('/projects', { slug, sources }, as)).must(200);
      const { codes } = (await audit()).summary;
      return [byId(await graph(), 'R').statement, codes.guessed_text ?? 0];
    };
    expect(await textOf('longest', 'long')).toEqual(['longest', 1]);
    expect(await textOf('short', 'longest')).toEqual(['short', 1]);
    const named = { textAttribute: 'Bemerkung' };
    expect(await textOf('short', 'longest', named)).toEqual(['longest', 0]);
    expect(await textOf('short', 'longest')).toEqual(['longest', 1]);
  });

  flow('makes the next revision, and the same set makes none', OWN, async (api) => {
    const project = await makeProject(api);
    expect(await project.graph()).toEqual({ revision: 0, nodes: [], edges: [] });
    const first = (await project.send({ 'stories.md': STORIES }))
      .must(200)
      .json<{ project: { revision: number; sources: Audit['sources'] } }>();
    expect(first.project.revision).toBe(1);
    expect(first.project.sources).toMatchObject([
      { path: 'stories.md', format: 'markdown', status: 'parsed' },
    ]);
    const again = (await project.send({ 'stories.md': STORIES })).must(200).json<typeof first>();
    expect(again.project.revision).toBe(1);
    const next = (await project.send({ 'stories.md': STORIES.replace('once.', 'just once.') }))
      .must(200)
      .json<typeof first>();
    expect(next.project.revision).toBe(2);
    expect((await project.graph({ revision: 1 })).revision).toBe(1);
    (await api.get('/srs-graph', { ...project.as, query: { revision: 9 } })).mustBe(
      404,
      'not_found',
    );
  });

  flow('merges with the latest revision where that is wished', OWN, async (api) => {
    const project = await makeProject(api);
    await project.bring({ 'stories.md': STORIES });
    await project.bring(
      { 'more.md': '## US-3: Refunds\n\nAs a customer I want it back.\n' },
      { mode: 'merge' },
    );
    expect((await project.graph()).nodes.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['US-1', 'US-2', 'US-3']),
    );
    await project.bring({ 'more.md': '## US-3: Refunds\n\nAs a customer I want it back.\n' });
    expect((await project.graph()).nodes.map(({ id }) => id)).not.toContain('US-1');
  });

  flow('is refused where the base is no longer the latest, without a trace', OWN, async (api) => {
    const project = await makeProject(api);
    await project.bring({ 'stories.md': STORIES }, { baseRevision: 0 });
    (await project.send({ 'stories.md': '## US-9: Late\n' }, { baseRevision: 0 })).mustBe(
      409,
      'conflict',
    );
    expect((await project.graph()).revision).toBe(1);
  });

  flow('joins what comes at once, in turn; the same set makes one revision', APART, async (api) => {
    const project = await makeProject(api);
    // Large enough to be read beside the server's own thread, where others may overtake.
    const fill = 'The system shall do it.\n\n'.repeat(8000);
    const paths = ['a.md', 'b.md', 'c.md', 'd.md'];
    const bringing = paths.map((path, at) =>
      project.send({ [path]: `## US-${at}: One of four\n\n${fill}` }, { mode: 'merge' }),
    );
    const refused = project.send({ 'bad.reqif': '<REQ-IF' });
    for (const answer of await Promise.all(bringing)) answer.must(200);
    (await refused).mustBe(422, 'invalid');
    const graph = await project.graph();
    expect(graph.revision).toBe(4);
    expect(graph.nodes.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['US-0', 'US-1', 'US-2', 'US-3']),
    );
    const same = await Promise.all([1, 2, 3].map(() => project.send({ 'a.md': fill })));
    const revisions = same.map((one) => one.must(200).json<{ project: { revision: number } }>());
    expect(revisions.map((one) => one.project.revision)).toEqual([5, 5, 5]);
    const onOne = await Promise.all(
      ['x.md', 'y.md', 'z.md'].map((path) =>
        project.send({ [path]: fill }, { mode: 'merge', baseRevision: 5 }),
      ),
    );
    expect(onOne.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });

  flow(
    'takes a set of which one source does not parse, and none of which none does',
    OWN,
    async (api) => {
      const project = await makeProject(api);
      await project.bring({ 'stories.md': STORIES, 'bad.reqif': '<REQ-IF' });
      const audit = await project.audit();
      expect(audit.sources.find(({ path }) => path === 'bad.reqif')?.status).toBe('failed');
      expect(
        audit.findings.some(({ code, path }) => code === 'unparsed_source' && path === 'bad.reqif'),
      ).toBe(true);
      const refused = (await project.send({ 'bad.reqif': '<REQ-IF' })).mustBe(422, 'invalid');
      expect(refused.text).toContain('bad.reqif');
      expect((await project.graph()).revision).toBe(1);
    },
  );

  flow('takes the files beside a feature that its parser refuses', OWN, async (api) => {
    const project = await makeProject(api);
    const broken = 'Feature: A\n  Scenario: b\n    Given c\n  Bogus: line\n';
    (await project.send({ 'a.feature': broken, 'b.txt': '' })).mustBe(422, 'invalid');
    const good = 'Feature: B\n  Scenario: c\n    Given d\n';
    await project.bring({ 'a.feature': broken, 'b.feature': good });
    expect((await project.audit()).sources).toMatchObject([
      { status: 'failed', items: 0 },
      { status: 'parsed', items: 1 },
    ]);
    const scenarios = (await api.get('/project-scenarios', project.as)).must(200);
    expect(scenarios.json<Page<{ key: string }>>().items).toMatchObject([{ key: 'B / c' }]);
  });

  flow('takes a form with the same parts for the same request [PQRS-78]', OWN, async (api) => {
    const project = await makeProject(api);
    const said = { name: 'project', value: JSON.stringify({ slug: project.slug }) };
    const one = { name: 'file', value: STORIES, fileName: 'a.md' };
    const two = { name: 'file', value: '## US-3: Refunds\n', fileName: 'b.md' };
    const headers = { ...project.as.headers, 'idempotency-key': `form ${api.unique}` };
    const send = (parts: FormPart[]) => api.send('POST', '/projects', form(parts, { headers }));
    const first = (await send([said, one, two])).must(200);
    const body = new FormData();
    body.set('project', said.value);
    for (const { value, fileName } of [one, two]) body.append('file', new File([value], fileName));
    const again = [
      await api.send('POST', '/projects', { headers, body }),
      await send([two, said, one]),
    ];
    for (const answer of again) {
      expect(answer.must(200).header('idempotency-replayed')).toBe('true');
      expect(answer.text).toBe(first.text);
    }
    for (const other of [
      [said, one],
      [said, one, { ...two, fileName: 'c.md' }],
      [said, one, { ...two, value: '## US-4: Refunds\n' }],
      [said, { ...one, value: two.value }, { ...two, value: one.value }],
      [{ ...said, value: said.value.replace('}', ',"mode":"merge"}') }, one, two],
    ]) {
      (await send(other)).mustBe(422, 'idempotency_mismatch');
    }
    expect((await project.graph()).revision).toBe(1);
  });

  flow('says which file of a form it refuses [PQRS-15]', OWN, async (api) => {
    const project = await makeProject(api);
    const said = { name: 'project', value: JSON.stringify({ slug: project.slug }) };
    const fileNamed = (fileName: string) => ({ name: 'file', value: STORIES, fileName });
    for (const bad of ['../b.md', './a.md']) {
      const sending = form([fileNamed('a.md'), said, fileNamed(bad)], project.as);
      const refused = (await api.send('POST', '/projects', sending)).mustBe(422, 'invalid');
      expect(refused.json<{ errors: { pointer: string }[] }>().errors).toMatchObject([
        { pointer: '/file/1' },
      ]);
    }
  });

  flow('says what a file of a form lacks [PQRS-15]', OWN, async (api) => {
    const project = await makeProject(api);
    const said = { name: 'project', value: JSON.stringify({ slug: project.slug }) };
    const sending = form([said, { name: 'file', value: STORIES }], project.as);
    const refused = (await api.send('POST', '/projects', sending)).mustBe(422, 'invalid');
    const { errors } = refused.json<{ errors: { pointer: string; detail: string }[] }>();
    expect(errors).toMatchObject([{ pointer: '/file' }]);
    expect(errors[0]?.detail).toContain('filename');
  });

  flow('does not say that it kept what it refused [PQRS-15]', OWN, async (api) => {
    const project = await makeProject(api);
    const refused = (await project.send({ 'a.bin': 'nothing that is known' })).mustBe(
      422,
      'invalid',
    );
    expect(refused.text).toContain('no format that is known');
    expect(refused.text).not.toContain('kept');
  });

  const DOORSTOP = {
    'r/.doorstop.yml': 'settings:\n  digits: 3\n  prefix: REQ\n',
    'r/REQ001.yml': 'level: 1.0\ntext: |\n  The system shall do a.\n',
    'r/REQ002.yml': 'links:\n- REQ001\ntext: |\n  The system shall do b.\n',
    'r/REQ010.yml': 'active: true\nderived: false\nheader: ""\nlev',
    'r/REQ011.yml': 'active: [',
  };
  flow('takes the items of a Doorstop document', OWN, async (api) => {
    const project = await makeProject(api);
    await project.bring(DOORSTOP);
    const { sources, findings } = await project.audit();
    expect(sources.map(({ format, status }) => `${format} ${status}`)).toEqual([
      ...['doorstop parsed', 'doorstop parsed', 'doorstop parsed', 'doorstop failed'],
      'doorstop failed',
    ]);
    const found = (code: string) => findings.filter((one) => one.code === code);
    expect(found('unparsed_source').map(({ path }) => path)).toEqual([
      'r/REQ010.yml',
      'r/REQ011.yml',
    ]);
    expect(found('dangling_reference')).toEqual([]);
    expect((await project.graph()).nodes.map(({ id }) => id)).toEqual(['REQ', 'REQ001', 'REQ002']);
  });

  flow('gives the sources back as they came [PQRS-1]', OWN, async (api) => {
    const project = await makeProject(api);
    await project.bring({ 'stories.md': STORIES });
    const page = (
      await api.get('/projects', { ...project.as, query: { include: ['sources', 'revisions'] } })
    )
      .must(200)
      .json<{ items: [{ sources: { content: string }[]; revisions: { revision: number }[] }] }>();
    expect(page.items[0].sources[0]?.content).toBe(STORIES);
    expect(page.items[0].revisions.map(({ revision }) => revision)).toEqual([1]);
  });

  flow('gives back what can be sent again [PQRS-1]', OWN, async (api) => {
    const project = await makeProject(api);
    const odd = {
      'nul.md': '## US-4: a\0b',
      'bom.md': '\uFEFF## US-5: a',
      'cr.md': '## US-6: a\r',
    };
    const sources = Object.entries({ 'stories.md': STORIES, ...odd }).map(([path, text]) => ({
      path,
      contentBase64: Buffer.from(text).toString('base64'),
    }));
    sources.push({ path: 'latin.md', contentBase64: Buffer.from([0x23, 0xe9]).toString('base64') });
    const body = { slug: project.slug, sources };
    (await api.post('/projects', body, project.as)).must(200);
    type Given = { path: string; format: string; content?: string; contentBase64?: string };
    const page = (await api.get('/projects', { ...project.as, query: { include: 'sources' } }))
      .must(200)
      .json<Page<{ sources: Given[] }>>();
    const given = page.items[0]?.sources ?? [];
    expect(given.filter((one) => one.contentBase64).map(({ path }) => path)).toEqual([
      'latin.md',
      'nul.md',
    ]);
    const again = given.map(({ path, content, contentBase64 }) =>
      content === undefined ? { path, contentBase64 } : { path, content },
    );
    const sent = { slug: project.slug, sources: again };
    (await api.post('/projects', sent, project.as)).must(200);
    expect((await project.graph()).revision).toBe(1);
  });

  flow('that would drop more than half of the stories needs to be confirmed', OWN, async (api) => {
    const project = await makeProject(api);
    const stories = (...ids: number[]) => ({
      'a.md': ids.map((id) => `# US-${id}: Story ${id}\n\nText.\n`).join('\n'),
    });
    const unconfirmed = { confirm: undefined };
    await project.bring(stories(1, 2, 3, 4), unconfirmed);
    await project.bring(stories(1, 2, 5, 6, 7), unconfirmed);
    for (const [over, ids] of [
      [unconfirmed, [1, 2]],
      [{ confirm: false, mode: 'merge' }, [1, 9]],
    ] as const) {
      const refused = await project.send(stories(...ids), over);
      refused.mustBe(409, 'drops_stories');
      const dropped = 5 - ids.filter((id) => id < 9).length;
      expect(refused.json<object>()).toMatchObject({
        ...{ stories: 5, dropped, errors: [{ pointer: '/sources' }] },
      });
      expect((await project.graph()).revision).toBe(2);
    }
    await project.bring(stories(1, 2), { confirm: true });
    expect((await project.graph()).revision).toBe(3);
    const alone = { slug: project.slug, confirm: true };
    (await api.post('/projects', alone, project.as)).mustBe(422, 'invalid');
  });

  flow('reads nothing of a file of a text format that holds no text', OWN, async (api) => {
    const project = await makeProject(api);
    // The same bytes for both prefixes.
    const noise = Buffer.from(
      Array.from({ length: 2 ** 20 }, (_, at) => (at * at * 31 + at * 7) % 251),
    );
    const files: Record<string, Buffer> = {
      'good.md': Buffer.from(STORIES),
      'noise.md': noise,
      'latin.md': Buffer.from('# US-8: Caf\u00e9\n', 'latin1'),
      'nul.feature': Buffer.from('Feature: a\n\n  Scenario: b\0\n'),
      'utf-16.md': Buffer.from('\uFEFF# US-9: Café\n\nText.\n', 'utf16le'),
    };
    const sources = Object.entries(files).map(([path, bytes]) => ({
      ...{ path, contentBase64: bytes.toString('base64') },
    }));
    (await api.post('/projects', { slug: project.slug, sources }, project.as)).must(200);
    const { sources: read, findings } = await project.audit();
    expect(Object.fromEntries(read.map(({ path, status }) => [path, status]))).toEqual({
      ...{ 'good.md': 'parsed', 'utf-16.md': 'parsed' },
      ...{ 'latin.md': 'failed', 'noise.md': 'failed', 'nul.feature': 'failed' },
    });
    const failed = findings.filter(({ path }) => !['good.md', 'utf-16.md'].includes(path));
    expect(failed.map(({ code, path, line }) => [code, path, line])).toEqual([
      ['unparsed_source', 'latin.md', 1],
      ['unparsed_source', 'noise.md', 1],
      ['unparsed_source', 'nul.feature', 3],
    ]);
  });

  flow('covers what the settings say that come with it [PQRS-18]', APART, async (api) => {
    const { get, bring } = await makeRequirementProject(api);
    await bring({ 'a.md': STORIES });
    const settings = { normative: ['statement'] };
    await bring({ 'a.md': STORIES.replace('A fast', 'A quick') }, { settings });
    const { revision, nodes } = await get<Graph>('/srs-graph');
    expect(revision).toBe(2);
    const effective = await get<Graph>('/srs-graph', { view: 'effective' });
    for (const [at, { fingerprint }] of nodes.entries()) {
      expect(fingerprint).toStartWith('f1.s:');
      expect(effective.nodes[at]?.fingerprint).toBe(fingerprint);
    }
  });

  flow('is a change of the project [PQRS-2]', OWN, async (api) => {
    const project = await makeProject(api);
    type Shown = { version: number; updatedAt: string; revision: number };
    type Revised = Shown & { revisions: { createdAt: string }[] };
    const shown = async () => {
      const query = { include: 'revisions' };
      const page = (await api.get('/projects', { ...project.as, query })).must(200);
      return page.json<Page<Revised>>().items[0]!;
    };
    const before = await shown();
    const answer = (await project.send({ 'stories.md': STORIES })).must(200);
    const after = await shown();
    expect(after).toMatchObject(answer.json<{ project: object }>().project);
    expect(answer.header('etag')).toStartWith('"2-');
    expect([before.version, after.version, after.revision]).toEqual([1, 2, 1]);
    expect(after.updatedAt).toBe(after.revisions[0]!.createdAt);
    await project.bring({ 'stories.md': STORIES });
    expect(await shown()).toEqual(after);
  });

  const sources = (...list: object[]) => ({ sources: list });
  const x = { path: 'x.md', content: 'x' };
  const bad: [string, object, string][] = [
    ['an empty list', sources(), '/sources'],
    ['a path outside', sources({ ...x, path: '../x.md' }), '/sources/0/path'],
    ['an absolute path', sources({ ...x, path: '/x.md' }), '/sources/0/path'],
    ['a path twice', sources(x, { path: './x.md', content: 'y' }), '/sources/1/path'],
    ['no content', sources({ path: 'x.md' }), '/sources/0/content'],
    ['two contents', sources({ ...x, contentBase64: 'eA==' }), '/sources/0/content'],
    ['no base64', sources({ path: 'x.md', contentBase64: '***' }), '/sources/0/contentBase64'],
    ['an unknown format', sources({ ...x, format: 'word' }), '/sources/0/format'],
    ['a mode without sources', { mode: 'merge' }, '/mode'],
    ['a base without sources', { baseRevision: 0 }, '/baseRevision'],
  ];
  for (const [name, over, pointer] of bad) {
    flow(`refuses ${name}`, OWN, async (api) => {
      const project = await makeProject(api);
      const answer = await api.post('/projects', { slug: project.slug, ...over }, project.as);
      answer.mustBe(422, 'invalid', pointer);
      expect((await project.graph()).revision).toBe(0);
    });
  }
});

describe('GET /srs-graph [PQRS-17]', () => {
  flow('has nodes with places, edges with types, and a tag', OWN, async (api) => {
    const project = await makeProject(api);
    await project.bring({ 'stories.md': STORIES });
    const answer = (await api.get('/srs-graph', project.as)).must(200);
    const graph = answer.json<Graph>();
    expect(byId(graph, 'US-1')).toMatchObject({
      ...{ kind: 'story', title: 'Paying once' },
      acceptance: ['A second press of the button charges nothing'],
      source: { path: 'stories.md', line: 3 },
    });
    expect(graph.edges).toContainEqual({
      ...{ from: 'US-1', to: 'US-2', type: 'depends', status: 'ok' },
    });
    const headers = { ...project.as.headers, 'if-none-match': answer.header('etag') };
    (await api.get('/srs-graph', { headers })).must(304);
  });

  flow('is 304 for the tag of what is asked for, and for no other', OWN, async (api) => {
    const project = await makeProject(api);
    await project.bring({ 'stories.md': STORIES });
    const read = (await api.get('/srs-graph', project.as)).must(200);
    const first = read.header('etag') ?? '';
    const knowing = (tag: string, query: Sending['query'] = {}) =>
      api.get('/srs-graph', { headers: { ...project.as.headers, 'if-none-match': tag }, query });
    for (const tag of [first, `W/${first}`, `"other", ${first}`, '*']) {
      expect((await knowing(tag)).must(304).header('etag')).toBe(first);
    }
    for (const query of [{ view: 'canonical' }, { revision: 1 }, { format: 'json' }]) {
      (await knowing(first, query)).must(304);
    }
    for (const query of [{ format: 'dot' }, { kind: 'story' }, { view: 'effective' }]) {
      (await knowing(first, query)).must(200);
    }
    (await knowing(first, { nothing: 1 })).mustBe(422, 'invalid');
    (await knowing(first, { revision: 2 })).mustBe(404, 'not_found');
    (await knowing(first, { root: 'US-9' })).mustBe(404, 'not_found');
    (await api.get('/srs-graph', { headers: { 'if-none-match': first }, as: null })).mustBe(
      401,
      'unauthorized',
    );

    await project.bring({ 'stories.md': STORIES.replace('Paying', 'Buying') });
    const second = (await knowing(first)).must(200).header('etag') ?? '';
    expect(second).not.toBe(first);
    (await knowing(second)).must(304);
    (await knowing(first, { revision: 1 })).must(304);
    (await knowing(second, { revision: 1 })).must(200);
  });

  flow('is 304 for many at once, each under the id of its own request', APART, async (api) => {
    const known: { headers: Record<string, string> }[] = [];
    for (const [at, more] of ['', '\nAnd in green.\n'].entries()) {
      const project = await makeProject(api, `-${at}`);
      await project.bring({ 'stories.md': STORIES + more });
      const { headers } = project.as;
      const graph = (await api.get('/srs-graph', { headers })).must(200);
      known.push({ headers: { ...headers, 'if-none-match': graph.header('etag')! } });
    }
    const asked = Array.from({ length: 200 }, async (_, at) => {
      const { headers } = known[at % 2]!;
      const id = `${api.unique}-${at}`;
      const sending = { headers: { ...headers, 'x-request-id': id } };
      const answer = (await api.get('/srs-graph', sending)).must(304);
      return [answer.header('x-request-id') === id, answer.header('etag') ?? ''];
    });
    const tags = known.map(({ headers }) => headers['if-none-match']);
    expect(new Set(tags).size).toBe(2);
    expect(await Promise.all(asked)).toEqual(
      Array.from({ length: 200 }, (_, at) => [true, tags[at % 2] ?? '']),
    );
  });

  flow(
    'changes the fingerprints of what changed and what rests on it [PQRS-18]',
    OWN,
    async (api) => {
      const project = await makeProject(api);
      await project.bring({ 'stories.md': STORIES });
      const before = await project.graph();
      await project.bring({
        'stories.md': STORIES.replace('want a receipt', 'want a printed receipt'),
      });
      const after = await project.graph();
      expect(byId(after, 'US-2').fingerprint).not.toBe(byId(before, 'US-2').fingerprint);
      expect(byId(after, 'US-1').fingerprint).toBe(byId(before, 'US-1').fingerprint);
      expect(byId(after, 'US-1').deepFingerprint).not.toBe(byId(before, 'US-1').deepFingerprint);
    },
  );

  flow('is cut by root, depth, kind and words', OWN, async (api) => {
    const project = await makeProject(api);
    await project.bring({ 'stories.md': STORIES });
    const ids = async (query: Sending['query']) =>
      (await project.graph(query)).nodes.map(({ id }) => id);
    expect(await ids({ root: 'US-2' })).toEqual(['US-1', 'US-2']);
    expect(await ids({ root: 'US-2', depth: 0 })).toEqual(['US-2']);
    expect(await ids({ kind: 'story', q: 'receipt customer' })).toEqual(['US-2']);
    expect(await ids({ kind: 'story', q: 'rece*' })).toEqual(['US-2']);
    expect(await ids({ kind: 'story', q: 'rece' })).toEqual([]);
    expect(await ids({ tag: 'nothing' })).toEqual([]);
    for (const view of ['canonical', 'effective']) {
      const query = { view, depth: 1 };
      const refused = (await api.get('/srs-graph', { ...project.as, query })).mustBe(
        422,
        'invalid',
      );
      expect(refused.json()).toMatchObject({
        errors: [{ pointer: '/depth', detail: 'goes with root' }],
      });
    }
    (await api.get('/srs-graph', { ...project.as, query: { root: 'US-77' } })).mustBe(
      404,
      'not_found',
    );
  });

  const formats: [string, string, RegExp][] = [
    ['dot', 'text/vnd.graphviz', /"US-1" -> "US-2" \[label="depends"\]/],
    ['mermaid', 'text/vnd.mermaid', /^flowchart LR\n/],
    ['graphml', 'application/graphml+xml', /<edge source="US-1" target="US-2">/],
    ['needs-json', 'application/json', /"US-1"/],
    ['srs-json', 'application/json', /"pqrs-srs"/],
    ['reqif', 'application/xml', /<SPEC-RELATION /],
  ];
  for (const [format, mediaType, text] of formats) {
    flow(`is written as ${format} [PQRS-19]`, OWN, async (api) => {
      const project = await makeProject(api);
      await project.bring({ 'stories.md': STORIES });
      const answer = (await api.get('/srs-graph', { ...project.as, query: { format } })).must(200);
      expect(answer.header('content-type')).toStartWith(mediaType);
      expect(answer.text).toMatch(text);
    });
  }

  const FILES = { 'srs-json': 'back.json', reqif: 'back.reqif', 'needs-json': 'needs.json' };
  for (const [format, name] of Object.entries(FILES)) {
    flow(`is read back from ${format} with the same stories and links`, OWN, async (api) => {
      const project = await makeProject(api);
      await project.bring({ 'stories.md': STORIES });
      const query = { format };
      const { text } = (await api.get('/srs-graph', { ...project.as, query })).must(200);
      const before = await project.graph();
      await project.bring({ [name]: text });
      const after = await project.graph();
      for (const id of ['US-1', 'US-2']) expect(byId(after, id).title).toBe(byId(before, id).title);
      const depends = { from: 'US-1', to: 'US-2', type: 'depends', status: 'ok' };
      expect(after.edges).toContainEqual(expect.objectContaining(depends));
    });
  }
});

describe('GET /srs-source-audit [PQRS-20]', () => {
  flow('names what is wrong, with its place, the worst first', OWN, async (api) => {
    const project = await makeProject(api);
    expect((await project.audit()).findings).toEqual([]);
    await project.bring({ 'stories.md': `${STORIES}\nRefines: US-99\n` });
    const { findings, summary } = await project.audit();
    expect(findings[0]).toMatchObject({ code: 'dangling_reference', itemId: 'US-2' });
    expect(findings.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['weak_wording', 'no_acceptance_criteria']),
    );
    expect(summary.errors).toBe(1);
    expect(summary.codes.dangling_reference).toBe(1);
    expect(
      (await project.audit({ severity: 'info' })).findings.map(({ code }) => code),
    ).not.toContain('dangling_reference');
    expect((await project.audit({ code: 'weak_wording' })).findings).toHaveLength(1);
  });

  flow('takes the codes that there are, and no others', OWN, async (api) => {
    const project = await makeProject(api);
    await project.bring({ 'stories.md': `${STORIES}\nRefines: US-99\n` });
    const codesOf = async (code: string | string[]) =>
      (await project.audit({ code })).findings.map((one) => one.code).sort();
    const both = await codesOf('weak_wording,dangling_reference');
    expect(both).toEqual(['dangling_reference', 'weak_wording']);
    expect(await codesOf(['weak_wording', 'dangling_reference'])).toEqual(both);
    const { findings } = await project.audit();
    for (const { code } of findings) expect(await codesOf(code)).toContain(code);
    expect(await codesOf([...FINDING_CODES])).toEqual(findings.map(({ code }) => code).sort());
    for (const code of ['nope', 'weak_wording,nope', 'weak_wording,,cycle', '', 'Cycle']) {
      const answer = await api.get('/srs-source-audit', { ...project.as, query: { code } });
      const { errors } = answer.mustBe(422, 'invalid').json<{ errors: { pointer: string }[] }>();
      expect(errors[0]?.pointer).toStartWith('/code');
    }
  });

  flow('is cut to a source, and to figures', OWN, async (api) => {
    const project = await makeProject(api);
    await project.bring({ 'stories.md': STORIES, 'more.md': '## US-9: More\n\nRefines: US-99\n' });
    const all = await project.audit();
    const read = (query: Sending['query']) =>
      project.get<Static<typeof SourceAuditSummary>>('/srs-source-audit', query);
    const { summary, sources, revision } = await read({ view: 'summary' });
    expect([summary, sources.total, revision]).toEqual([all.summary, all.sources.length, 1]);
    const found = all.findings.filter(({ path }) => path === 'more.md');
    const ofOne = await project.audit({ path: 'more.md' });
    expect(ofOne.findings).toEqual(found);
    expect(ofOne.sources.map(({ path }) => path)).toEqual(['more.md']);
    const figures = await read({ view: 'summary', path: 'more.md', severity: 'error' });
    expect([figures.sources.total, figures.summary.errors, figures.summary.warnings]).toEqual([
      ...[1, ofOne.summary.errors, 0],
    ]);
    expect(ofOne.summary.errors).toBe(1);
    const query = { view: 'summary', format: 'sarif' };
    (await api.get('/srs-source-audit', { ...project.as, query })).mustBe(
      422,
      'invalid',
      '/format',
    );
  });

  flow('is SARIF for the tools that read it', OWN, async (api) => {
    const project = await makeProject(api);
    await project.bring({ 'stories.md': `${STORIES}\nRefines: US-99\n` });
    const answer = (
      await api.get('/srs-source-audit', { ...project.as, query: { format: 'sarif' } })
    ).must(200);
    expect(answer.header('content-type')).toStartWith('application/sarif+json');
    const { version, runs } = answer.json<{
      version: string;
      runs: [{ results: { ruleId: string; level: string }[] }];
    }>();
    expect(version).toBe('2.1.0');
    expect(runs[0].results[0]).toMatchObject({ ruleId: 'dangling_reference', level: 'error' });
  });
});
