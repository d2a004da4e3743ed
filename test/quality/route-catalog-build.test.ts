// The catalog of routes, made of what documents, scenarios and commands say.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type CatalogSources, catalogSteps } from '../../src/quality/routes/catalog.ts';
import { shapeOf } from '../../src/quality/routes/route-text.ts';
import type { Scenario } from '../../src/quality/scenarios/model.ts';
import type { SourceRoute } from '../../src/requirements/sources/model.ts';
import { runAtOnce } from '../../src/runtime/scheduler.ts';

const documented = (text: string, over: Partial<SourceRoute> = {}): SourceRoute => {
  const [method = '', template = ''] = text.split(' ');
  const none = { operationId: null, summary: '', storyIds: [] };
  return { method, template, ...none, path: 'api.yaml', line: 1, ...over };
};
const command = (id: string, ...routes: string[]): DeclaringCommand => ({
  ...{ id, routes, storyIds: [] },
});

type DeclaringCommand = CatalogSources['commands'][number];
interface Given {
  routes?: readonly SourceRoute[];
  scenarios?: readonly Scenario[];
  commands?: readonly DeclaringCommand[];
}
const make = ({ routes = [], scenarios = [], commands = [] }: Given) =>
  runAtOnce(catalogSteps({ projectId: 'prj', routes, scenarios, commands }));
describe('the catalog [PQRS-53]', () => {
  test('holds a route of two documents once, as the first has it', () => {
    const routes = [
      documented('GET /a/{x}', { storyIds: ['US-1'] }),
      documented('GET /a/{y}', { path: 'b.yaml', storyIds: ['US-2', 'US-1'] }),
      documented('GET /a/x'),
    ];
    const [other, route] = make({ routes }).routes;
    expect(route).toMatchObject({
      ...{ template: '/a/{x}', source: { path: 'api.yaml', line: 1 } },
      storyIds: ['US-1', 'US-2'],
    });
    expect(other?.template).toBe('/a/x');
  });
});

describe('properties', () => {
  const part = fc.constantFrom('a', 'b', '{id}', '{name}', '7', '{x}.json');
  const route = fc
    .tuple(fc.constantFrom('GET ', 'POST ', ''), fc.array(part, { minLength: 1, maxLength: 3 }))
    .map(([method, parts]) => `${method}/${parts.join('/')}`);
  const commands = fc
    .array(fc.array(route, { maxLength: 4 }), { maxLength: 5 })
    .map((all) => all.map((routes, at) => command(`c${at}`, ...routes)));
  const documents = fc
    .array(route, { maxLength: 6 })
    .map((all) => all.map((text) => documented(text.startsWith('/') ? `GET ${text}` : text)));

  test('every declaration is found again, and no two routes are the same', () => {
    fc.assert(
      fc.property(documents, commands, (routes, declaring) => {
        const catalog = make({ routes, commands: declaring });
        const keys = catalog.routes.map(({ method, template }) => `${method} ${shapeOf(template)}`);
        expect(new Set(keys).size).toBe(keys.length);
        for (const { id, routes: texts } of declaring) {
          const own = catalog.routes.filter(({ commandIds }) => commandIds.includes(id));
          if (texts.length > 0) expect(own.length).toBeGreaterThan(0);
          for (const text of texts.filter((one) => !one.startsWith('/'))) {
            const [method = '', path = ''] = text.split(' ');
            const found = own.some((one) => one.method === method && fitsTemplate(path, one));
            expect(found).toBe(true);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  test('the order of commands changes no route', () => {
    fc.assert(
      fc.property(documents, commands, (routes, declaring) => {
        const shown = (some: readonly DeclaringCommand[]) =>
          make({ routes, commands: some }).routes.map(
            ({ method, template, commandIds }) =>
              `${method} ${shapeOf(template)} ${commandIds.toSorted()}`,
          );
        expect(shown(declaring.toReversed())).toEqual(shown(declaring));
      }),
      { numRuns: 300 },
    );
  });

  function fitsTemplate(path: string, { template }: { template: string }): boolean {
    if (shapeOf(path) === shapeOf(template)) return true;
    const pattern = template.replace(/\./g, '\\.').replace(/\{[^{}]*\}/g, '[^/]+');
    return new RegExp(`^${pattern}$`).test(path);
  }
});
