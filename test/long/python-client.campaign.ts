// A generator of clients in another language takes the API document, and its client works.
import { describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openWorkplace } from '../support/running-executable.ts';

const GENERATOR = 'openapi-python-client==0.29.1';

/** What the generator has no word for; it leaves out no more than these. */
const MEDIA_TYPES = [
  ...['*/*', 'application/x-ndjson', 'application/xml', 'text/tap', 'text/x-gherkin', 'text/xml'],
];

const USE = `
import importlib, inspect, pkgutil, sys
from io import BytesIO
import pqrs_client.api, pqrs_client.models as models
from pqrs_client import AuthenticatedClient
from pqrs_client.api.issues_evidence_and_health import attach_evidence, create_issue, list_issues
from pqrs_client.types import File

client = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2])
issue = create_issue.sync(client=client, body=models.IssueInput(title="From Python"))
form = models.AttachmentForm(file=File(payload=BytesIO(b"x"), file_name="a.txt", mime_type="text/plain"))
print(attach_evidence.sync_detailed(client=client, id=issue.id, body=form).status_code.value)
print([one.title for one in list_issues.sync(client=client, status=[models.ListIssuesStatusItem.OPEN]).items])
print(list_issues.sync(client=client, id="none").code)
for module in pkgutil.walk_packages(pqrs_client.api.__path__, "pqrs_client.api."):
    call = getattr(importlib.import_module(module.name), "sync_detailed", None)
    name = module.name.split(".")[-1]
    if call and name.startswith(("get_", "list_")):
        required = [one for one in inspect.signature(call).parameters.values() if one.default is one.empty]
        if len(required) == 1:
            answer = call(client=client)
            print(name, answer.status_code.value, answer.parsed is not None)
`;

const place = await openWorkplace('python-client');
const python = join(place.folder, 'venv', 'bin', 'python');

async function sh(...command: string[]) {
  const child = Bun.spawn(command, { cwd: place.folder, stdout: 'pipe', stderr: 'pipe' });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { out, err, code: await child.exited };
}

/** Why there is no generator here; undefined where there is one. */
async function missing(): Promise<string | undefined> {
  if (!Bun.which('python3')) return 'there is no python3';
  const { code } = await sh('python3', '-m', 'venv', 'venv');
  if (code !== 0) return 'python3 has no venv';
  const installed = await sh(python, '-m', 'pip', 'install', '-q', GENERATOR);
  return installed.code === 0 ? undefined : `pip does not install ${GENERATOR}`;
}

const why = await missing();
if (why) console.log(`Skipped: ${why}.`);

describe.skipIf(why !== undefined)('openapi-python-client', () => {
  test('takes the document, but for media types that it lacks', async () => {
    writeFileSync(join(place.folder, 'openapi.json'), (await place.run(['openapi'])).out);
    const options = ['--path', 'openapi.json', '--meta', 'none', '--output-path', 'pqrs_client'];
    const { out, err, code } = await sh(
      python,
      '-m',
      'openapi_python_client',
      'generate',
      ...options,
    );
    const text = out + err;
    expect([code, text.includes('ERROR')]).toEqual([0, false]);
    const lacking = [...text.matchAll(/Unsupported content[ _]type ([^\s)]+)/g)].map(
      ([, one = '']) => one,
    );
    expect([...new Set(lacking)].sort()).toEqual(MEDIA_TYPES);
    expect(text.match(/^WARNING/gm)).toHaveLength(lacking.length);
  });

  test('makes a client that files, lists, attaches and reads everything', async () => {
    const server = await place.serve();
    writeFileSync(join(place.folder, 'use.py'), USE);
    const token = readFileSync(join(place.folder, 'pqrs-data', 'owner.token'), 'utf8').trim();
    const { out, err, code } = await sh(python, 'use.py', server.address, token);
    await server.stop();
    expect([err, code]).toEqual(['', 0]);
    const [attached, titles, problem, ...reads] = out.trim().split('\n');
    expect([attached, titles, problem]).toEqual(['201', "['From Python']", 'not_found']);
    expect(reads.length).toBeGreaterThan(14);
    for (const line of reads) expect(line).toEndWith(' 200 True');
  });
});
