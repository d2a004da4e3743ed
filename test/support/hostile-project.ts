// A project whose every text tries to be a script.
import type { Ask } from './console-project.ts';

const SCRIPT = '<script>globalThis.ran=1</script><img src=x onerror="globalThis.ran=1">';
const LINK = 'javascript:globalThis.ran=1';
const TEXT = `${SCRIPT} [x](${LINK}) ${LINK} "onclick="globalThis.ran=1" x='`;

const SOURCE = `# ${TEXT}

## US-1: ${TEXT}

${TEXT}

Acceptance criteria:

- ${TEXT}

## US-2: Linked

[click](${LINK})

Depends on: US-1, ${SCRIPT}
`;

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="globalThis.ran=1"><script>globalThis.ran=1</script></svg>`;

/**
 * Fills an empty project, slug `hostile`.
 * @returns addresses of single things in it
 */
export async function hostileProject(ask: Ask): Promise<string[]> {
  const slug = 'hostile';
  await ask('POST', '/projects', {
    ...{ slug, name: TEXT, description: TEXT, confirm: true },
    sources: [{ path: `${SCRIPT.replaceAll('/', '')}.md`, content: SOURCE }],
  });
  await ask('POST', '/projects', { slug, baseline: { name: TEXT } });
  await ask('POST', '/projects', {
    slug,
    tokens: { create: { label: TEXT, capabilities: ['srs:edit'] } },
  });
  const command = await ask('POST', '/test-commands', {
    ...{ key: 'hostile', name: TEXT, kind: 'shell', argv: [TEXT], storyIds: ['US-1'] },
  });
  const failed = { status: 'failed', message: TEXT, trace: TEXT };
  const run = await ask('POST', '/test-runs', {
    ...{ commandId: command.id, branch: TEXT, environment: TEXT, tool: TEXT },
    execution: { exitCode: 1, consoleTail: TEXT },
    results: [
      { ...failed, name: `${TEXT} [US-1]`, path: [TEXT], file: TEXT, attempts: [failed] },
      { ...failed, name: 'unstable [US-2]', path: [TEXT], file: TEXT },
    ],
  });
  await ask('POST', '/validation-transfer', {
    mode: 'record',
    results: [{ storyId: 'US-1', verdict: 'failed', evidence: TEXT }],
  });
  await ask('POST', '/project-traceability', {
    justify: [{ storyId: 'US-2', need: 'test', reason: TEXT }],
  });
  await ask('POST', '/story-edits', { storyId: 'US-2', set: { statement: TEXT }, reason: TEXT });
  await ask('POST', '/story-additions', {
    ...{ storyId: 'US-3', title: TEXT, statement: TEXT, reason: TEXT },
  });
  const issue = await ask('POST', '/issues', {
    ...{ title: TEXT, description: TEXT, severity: 'critical', environment: TEXT, build: TEXT },
    ...{ route: `/${SCRIPT}`, storyIds: ['US-1'], labels: [TEXT], reporter: TEXT },
    context: {
      errors: [{ type: TEXT, message: TEXT, stack: TEXT }],
      console: [{ level: 'error', message: TEXT }],
    },
  });
  const evidence = { 'image.svg': ['image/svg+xml', SVG], 'page.html': ['text/html', SCRIPT] };
  for (const [name, [type = '', content = '']] of Object.entries(evidence))
    await ask('POST', `/issues/${issue.id}/attachments`, new TextEncoder().encode(content), {
      'content-type': type,
      'content-disposition': `attachment; filename="${name}"`,
    });
  const { ids } = await ask<{ ids: string[] }>('POST', '/system-logs', [
    { level: 'error', message: TEXT, source: SCRIPT, fields: { [SCRIPT]: TEXT } },
  ]);
  const plan = await ask('POST', '/agent/plan', { strategy: 'full' });
  await ask('POST', '/agent/suite', { planId: plan.id, agent: { name: TEXT } });
  return [
    `requirements/US-1`,
    'requirements/US-3',
    'graph/US-1',
    `runs/${run.id}`,
    `issues/${issue.id}`,
    `logs/${ids[0]}`,
    'logs?view=groups',
    `sources/changes?from=${encodeURIComponent(TEXT)}&to=1`,
  ];
}
