// Projects: the caller's own, its settings, and new ones.
import { describe, expect } from 'bun:test';
import type { Client, Sending } from '../support/client.ts';
import { flow, invalidBody, type Scenario, scenarios } from '../support/flow.ts';
import { MAIN_SLUG, OTHER_SLUG } from '../support/roles.ts';
import type { Page, Project } from '../support/shapes.ts';

const DEFAULTS = {
  ...{ editPolicy: 'direct', needs: ['test'], autoValidate: false, judgedBranches: null },
  ...{ trustedKeys: [], retentionDays: null, quotaBytes: null },
};
const OWN = { ownBecause: 'it would change a project or make one' };

const own = async (api: Client, as: Sending['as'] = 'owner'): Promise<Project> =>
  (await api.get('/projects', { as })).must(200).json<Page<Project>>().items[0]!;

/** Makes a project and gives what calls it as its owner. */
async function make(
  api: Client,
  over: object = {},
): Promise<{ project: Project; headers: Record<string, string> }> {
  const answer = await api.post(
    '/projects',
    { slug: `p-${api.unique}`, name: 'Made', ...over },
    { tokenShown: true },
  );
  const { project, token } = answer.must(201).json<{ project: Project; token: string }>();
  return { project, headers: { authorization: `Bearer ${token}` } };
}

describe('GET /projects [PQRS-1]', () => {
  flow("is a list with the token's own project", { needs: ['srs', 'agent'] }, async (api) => {
    const page = (await api.get('/projects')).must(200).json<Page<Project>>();
    expect(page.items).toHaveLength(1);
    expect(page.nextCursor).toBeNull();
    expect(Object.keys(page.items[0]!).sort()).toEqual([
      ...['createdAt', 'description', 'id', 'name', 'revision', 'settings', 'slug', 'sources'],
      ...['updatedAt', 'version'],
    ]);
    expect(page.items[0]!.id).toMatch(/^prj_[0-9a-hjkmnp-tv-z]{26}$/);
    for (const as of ['srs', 'agent'] as const)
      expect((await api.get('/projects', { as })).json()).toEqual(page as never);
  });

  flow('id answers it bare, with an entity tag', { needs: ['other'] }, async (api) => {
    const { id, version } = await own(api);
    const answer = (await api.get('/projects', { query: { id } })).must(200);
    expect(answer.json<Project>()).toEqual(await own(api));
    expect(answer.header('etag')).toStartWith(`"${version}-`);
    const headers = { 'if-none-match': answer.header('etag') };
    (await api.get('/projects', { query: { id }, headers })).must(304);
    for (const absent of ['prj_00000000000000000000000000', (await own(api, 'other')).id]) {
      (await api.get('/projects', { query: { id: absent } })).mustBe(404, 'not_found');
    }
  });

  flow('include adds what is asked for', {}, async (api) => {
    for (const include of ['sources', 'revisions', 'sources,revisions', ['sources', 'revisions']]) {
      const page = (await api.get('/projects', { query: { include } }))
        .must(200)
        .json<Page<Project>>();
      expect('revisions' in page.items[0]!).toBe(JSON.stringify(include).includes('revisions'));
    }
    (await api.get('/projects', { query: { include: 'secrets' } })).mustBe(422, 'invalid');
  });
});

describe('POST /projects with the own slug [PQRS-2]', () => {
  flow('changes name, description and settings', OWN, async (api) => {
    const { project, headers } = await make(api);
    const body = {
      ...{ slug: project.slug, name: 'Checkout', description: 'Basket and payment' },
      settings: { retentionDays: 90, quotaBytes: 1000 },
    };
    const answer = (await api.post('/projects', body, { headers })).must(200);
    const changed = answer.json<{ project: Project; token?: string }>();
    expect(changed.token).toBeUndefined();
    expect(changed.project).toMatchObject({
      ...{ name: 'Checkout', description: 'Basket and payment', version: 2, id: project.id },
      slug: project.slug,
    });
    expect(changed.project.settings).toMatchObject({
      ...DEFAULTS,
      retentionDays: 90,
      quotaBytes: 1000,
    });
    expect(answer.header('etag')).toStartWith('"2-');
    const read = (await api.get('/projects', { query: { id: project.id }, headers })).must(200);
    expect(read.json<Project>()).toEqual(changed.project);
    expect(read.header('etag')).toBe(answer.header('etag'));
  });

  flow('merges the settings: null is the default, a list is replaced', OWN, async (api) => {
    const { project, headers } = await make(api, {
      settings: { editPolicy: 'review', judgedBranches: ['main', 'dev'], retentionDays: 7 },
    });
    expect(project.settings).toMatchObject({
      editPolicy: 'review',
      judgedBranches: ['main', 'dev'],
      retentionDays: 7,
    });
    const settings = { editPolicy: null, judgedBranches: ['main'], needs: ['scenario', 'test'] };
    const answer = await api.post('/projects', { slug: project.slug, settings }, { headers });
    expect(answer.must(200).json<{ project: Project }>().project.settings).toMatchObject({
      ...DEFAULTS,
      judgedBranches: ['main'],
      needs: ['scenario', 'test'],
      retentionDays: 7,
    });
  });

  flow('what changes nothing leaves the version as it is', OWN, async (api) => {
    const { project, headers } = await make(api, { name: 'Same', settings: { demo: true } });
    for (const body of [
      {},
      { name: 'Same' },
      { settings: {} },
      { settings: { demo: true } },
      { settings: { quotaBytes: null } },
    ]) {
      const answer = (
        await api.post('/projects', { slug: project.slug, ...body }, { headers })
      ).must(200);
      expect(answer.json<{ project: Project }>().project).toEqual(project);
    }
  });

  const patched = (name: string, body: object, pointer: string) =>
    invalidBody('POST', '/projects', name, { slug: MAIN_SLUG, ...body }, pointer);
  const patch = (name: string, settings: unknown, pointer: string) =>
    patched(name, { settings }, `/settings${pointer}`);

  scenarios('refuses', OWN, [
    patch('an unknown setting', { colour: 'red' }, '/colour'),
    patch('a policy there is none of', { editPolicy: 'open' }, '/editPolicy'),
    patch('a need there is none of', { needs: ['review'] }, '/needs/0'),
    patch('a need twice', { needs: ['test', 'test'] }, '/needs'),
    patch('no normative field', { normative: [] }, '/normative'),
    patch('a quota below nothing', { quotaBytes: -1 }, '/quotaBytes'),
    patch('a quota in parts of bytes', { quotaBytes: 1.5 }, '/quotaBytes'),
    patch('a quota as a text', { quotaBytes: '1000' }, '/quotaBytes'),
    patch('no days', { retentionDays: 0 }, '/retentionDays'),
    patch('demo as a text', { demo: 'true' }, '/demo'),
    patch('settings that are no object', 'direct', ''),
    patch(
      '__proto__ among the settings',
      JSON.parse('{"__proto__": {"demo": true}}'),
      '/__proto__',
    ),
    patch('constructor among the settings', { constructor: 1 }, '/constructor'),
    patched('an empty name', { name: '' }, '/name'),
    patched('an unknown field', { id: 'x' }, '/id'),
    patched('a revision of no sources', { sources: [] }, '/sources'),
  ]);
});

describe('POST /projects as an editor [PQRS-4] [PQRS-67]', () => {
  const sent = (name: string, body: object, over: Partial<Scenario>): Scenario => ({
    ...{ name, method: 'POST', path: '/projects', as: 'srs', status: 403, code: 'forbidden' },
    ...{ body: { slug: MAIN_SLUG, ...body }, ...over },
  });
  const refused = (field: string, value: unknown): Scenario =>
    sent(field, { [field]: value }, { contains: [`"pointer":"/${field}"`] });

  scenarios('leaves to the owner', { needs: ['srs'], ...OWN }, [
    refused('name', 'Mine'),
    refused('description', 'Mine'),
    refused('settings', {}),
    sent('a field, whatever it holds', { settings: 7 }, {}),
    sent('another project', { slug: OTHER_SLUG }, { contains: ['"pointer":"/slug"'] }),
    sent('a field that nobody may set', { id: 'x' }, { status: 422, code: 'invalid' }),
  ]);

  flow('leaves to the owner what stands in a form', { needs: ['srs'], ...OWN }, async (api) => {
    const form = new FormData();
    form.set('project', JSON.stringify({ slug: MAIN_SLUG, name: 'Mine' }));
    form.set('file', new Blob(['# US-1: One\n']), 'a.md');
    const answer = await api.send('POST', '/projects', { as: 'srs', body: form });
    answer.mustBe(403, 'forbidden');
    expect(answer.json<{ errors: object[] }>().errors).toMatchObject([{ pointer: '/name' }]);
  });
});

describe('POST /projects with a new slug [PQRS-3]', () => {
  flow('makes a project and its owner, who is not that of the instance', OWN, async (api) => {
    const body = {
      ...{ slug: `n-${api.unique}`, name: 'New', description: 'd' },
      settings: { editPolicy: 'review' },
    };
    const answer = (await api.post('/projects', body, { tokenShown: true })).must(201);
    const { project, token } = answer.json<{ project: Project; token: string }>();
    expect(project).toMatchObject({
      ...{ slug: body.slug, name: 'New', description: 'd', version: 1, revision: 0, sources: [] },
    });
    expect(project.settings).toMatchObject({ ...DEFAULTS, editPolicy: 'review', demo: false });
    expect(token).toMatch(/^pqrs_[0-9a-hjkmnp-tv-z]{26}_[0-9a-hjkmnp-tv-z]{52}$/);
    expect(answer.header('location')).toBe(`/api/projects?id=${project.id}`);
    expect(answer.header('etag')).toStartWith('"1-');
    const headers = { authorization: `Bearer ${token}` };
    expect((await api.get('/projects', { headers })).must(200).json<Page<Project>>().items).toEqual(
      [project],
    );
    const issue = (await api.post('/issues', { title: 'First' }, { headers })).must(201);
    expect(issue.json<{ number: number }>().number).toBe(1);
    (await api.post('/projects', { slug: `x-${api.unique}` }, { headers })).mustBe(
      403,
      'forbidden',
    );
    (await api.follow('/metrics', { headers })).mustBe(403, 'forbidden');
  });

  flow('is none where the slug may be a typing error', OWN, async (api) => {
    const slug = `${MAIN_SLUG}-${api.unique}`;
    const sources = [{ path: 'a.md', content: '# US-1: One' }];
    for (const [over, status, code, pointer] of [
      [{}, 422, 'invalid', '/name'],
      [{ name: 'x', tokens: {} }, 422, 'invalid', '/tokens'],
      [{ name: 'x', sources }, 404, 'not_found', '/slug'],
      [{ sources }, 404, 'not_found', '/slug'],
      [{ name: 'x', mode: 'merge' }, 404, 'not_found', '/slug'],
      [{ name: 'x', baseRevision: 1 }, 404, 'not_found', '/slug'],
      [{ name: 'x', baseline: { name: '1.0' } }, 404, 'not_found', '/slug'],
      [{ name: 'x', confirm: true }, 404, 'not_found', '/slug'],
      [{ name: 'x', dryRun: true }, 404, 'not_found', '/slug'],
    ] as const)
      (await api.post('/projects', { slug, ...over })).mustBe(status, code, pointer);
    (await api.post('/projects', { slug, name: 'x' }, { tokenShown: true })).must(201);
  });

  flow('that is taken is 409 for the owner of the instance', OWN, async (api) => {
    const before = await own(api, 'other');
    (await api.post('/projects', { slug: OTHER_SLUG, name: 'Mine' })).mustBe(409, 'slug_taken');
    expect(await own(api, 'other')).toEqual(before);
  });

  flow(
    'is 403 for every other owner, whatever the slug',
    { needs: ['plain', 'other'] },
    async (api) => {
      const answers = await Promise.all(
        [`free-${api.unique}`, OTHER_SLUG, 'demo', 'Not A Slug', ''].map((slug) =>
          api.post('/projects', { slug }, { as: 'plain' }),
        ),
      );
      for (const answer of answers) {
        answer.mustBe(403, 'forbidden');
        expect(answer.json().detail).toBe(answers[0]!.json().detail);
      }
      const taken = await api.post('/projects', { slug: MAIN_SLUG }, { as: 'other' });
      taken.mustBe(403, 'forbidden');
    },
  );

  const slugs = ['A', 'a b', '-a', 'a-', 'a_b', 'é', 'x'.repeat(64), '../x', 'a/b', 'a\u0000'];
  scenarios(
    'refuses the slug',
    OWN,
    [...slugs, 1, [MAIN_SLUG], undefined].map((slug) =>
      invalidBody('POST', '/projects', String(JSON.stringify(slug)), { name: 'x', slug }, '/slug'),
    ),
  );
});

describe('the demo [PQRS-70]', () => {
  const options = { needs: ['demo'] as const, ...OWN, compare: false };
  flow('is over at once when the project says so', options, async (api) => {
    const demo = (on: boolean) =>
      api.post('/projects', { slug: MAIN_SLUG, settings: { demo: on } });
    try {
      (await api.get('/projects', { as: 'demo' })).must(200);
      (await demo(false)).must(200);
      (await api.get('/projects', { as: 'demo' })).mustBe(403, 'forbidden');
      (await api.get('/health', { as: 'demo' })).mustBe(403, 'forbidden');
    } finally {
      (await demo(true)).must(200);
    }
    (await api.get('/projects', { as: 'demo' })).must(200);
  });
});
