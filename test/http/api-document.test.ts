// The API document: what must be in it, what must not, and that the committed copy is the one that
// the routes give.
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { ACCESS, capabilitiesFor } from '../../src/access/access.ts';
import { apiDocument } from '../../src/app.ts';
import { PROBLEMS } from '../../src/errors.ts';
import { documentText } from '../../src/http/document/document.ts';
import { VERSION } from '../../src/version.ts';
import { follow, type OperationEntry, operationsOf } from './api-document-reading.ts';

const COMMITTED = join(import.meta.dir, '..', 'fixtures', 'openapi.json');

const document = await apiDocument();
const text = documentText(document);
const operations = operationsOf(document);

function named({ method, path }: OperationEntry): string {
  return `${method} ${path}`;
}

/** Calls back for every operation; gives the names of those for which it answers false. */
function failing(check: (operation: OperationEntry) => boolean): string[] {
  return operations.filter((operation) => !check(operation)).map(named);
}

describe('the document as a whole [PQRS-80]', () => {
  test('is the committed one; else run: node scripts/run.mjs scripts/openapi.ts', async () => {
    expect(document).toEqual(await Bun.file(COMMITTED).json());
  });

  test('is OpenAPI 3.1 of this version, under the licence, for this server', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.info).toMatchObject({
      version: VERSION,
      license: { identifier: 'Apache-2.0' },
    });
    expect(document.servers.map(({ url }) => url)).toEqual(['/']);
  });

  test('writes down the conventions, with every problem code', () => {
    const description = String(document.info.description);
    for (const word of ['Idempotency-Key', 'If-Match', 'nextCursor', 'linkTtl', 'Retry-After']) {
      expect(description).toContain(word);
    }
    for (const { code } of PROBLEMS) expect(description).toContain(`\`${code}\``);
  });

  test('holds no keyword that only the checks know, and no secret', () => {
    const private_ = ['"says"', 'documentedFormat', '"title": "Problem"', '"$id"'];
    expect(private_.filter((word) => text.includes(word))).toEqual([]);
    expect(/pqrs_[0-9a-z]{26}_/.exec(text)).toBeNull();
  });

  test('refers only to components that it has', () => {
    const references = [...text.matchAll(/"\$ref": "([^"]+)"/g)].map(([, to = '']) => to);
    expect(references.length).toBeGreaterThan(100);
    for (const reference of new Set(references)) {
      expect(follow(document, { $ref: reference })).toBeObject();
    }
  });

  test('names its schemas', () => {
    expect(Object.keys(document.components.schemas ?? {})).toEqual(
      expect.arrayContaining([
        'Attachment',
        'Issue',
        'IssueInput',
        'LogEntry',
        'Problem',
        'Project',
      ]),
    );
  });
});

describe('the operations [PQRS-80]', () => {
  test('are those of the table, no more and no fewer', () => {
    const rows = ACCESS.map(
      ({ method, path }) => `${method} /api${path.replace(/:([a-z]+)/g, '{$1}')}`,
    );
    expect(operations.map(named).sort()).toEqual(rows.sort());
  });

  test('are named as in the access table, each with a summary and a description', () => {
    for (const { method, path, operation } of operations) {
      const row = ACCESS.find(
        (one) => one.method === method && `/api${one.path.replace(/:([a-z]+)/g, '{$1}')}` === path,
      );
      expect(operation.operationId).toBe(String(row?.operationId));
      expect(operation.summary).toBe(String(row?.purpose));
      expect(operation.description.length).toBeGreaterThan(40);
    }
  });

  test('say who may call them, in words and as data', () => {
    for (const { operation } of operations) {
      const row = ACCESS.find(({ operationId }) => operationId === operation.operationId);
      const capabilities = capabilitiesFor(row as NonNullable<typeof row>);
      expect(operation['x-capabilities']).toEqual([...capabilities]);
      for (const one of capabilities) expect(operation.description).toContain(`\`${one}\``);
      const scheme = row?.allow === 'signature' ? 'signature' : 'bearer';
      expect(operation.security).toEqual([{ [scheme]: [] }]);
    }
  });

  test('describe each parameter once', () => {
    for (const { operation } of operations) {
      const parameters = operation.parameters.map((one) => follow(document, one));
      expect(parameters.filter(({ description }) => !description)).toEqual([]);
      const names = parameters.map((one) => `${one.in} ${one.name}`);
      expect(new Set(names).size).toBe(names.length);
    }
  });

  test('show an example of every body they take', () => {
    expect(
      failing(({ operation }) =>
        Object.values(operation.requestBody?.content ?? {}).every(
          ({ example, examples }) => example !== undefined || examples !== undefined,
        ),
      ),
    ).toEqual([]);
  });

  test('describe every answer, and its schema where it has a body', () => {
    for (const { operation } of operations) {
      for (const [status, one] of Object.entries(operation.responses)) {
        const answer = follow(document, one);
        expect(answer.description).not.toBe('');
        if (status !== 'default') expect(answer.headers).toHaveProperty('X-Request-Id');
        const schemas = Object.values(answer.content ?? {}).map(({ schema }) => schema);
        expect(schemas.every((schema) => schema !== undefined)).toBe(true);
        expect(schemas.length > 0 || ['204', '304'].includes(status)).toBe(true);
      }
    }
  });

  test('answer every failure with a problem, and name those that it may be', () => {
    for (const { method, operation } of operations) {
      const { default: failure, ...successes } = operation.responses;
      // The report of a service that is not ready is the answer that was asked for.
      const others = operation.operationId === 'getReadiness' ? ['503'] : [];
      expect(Object.keys(successes).filter((status) => Number(status) >= 400)).toEqual(others);
      expect(failure?.content).toEqual({
        'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
      });
      const stale = method === 'PATCH' || method === 'DELETE' ? ['412'] : [];
      for (const status of ['401', '404', '405', '429', '500', '503', ...stale])
        expect(failure?.description).toContain(`- ${status} \``);
    }
  });
});
