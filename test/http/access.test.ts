// The access table held against the interface and its rules, which stand here once more as text.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  ACCESS,
  type AccessRow,
  actingCapability,
  CAPABILITIES,
  type Capability,
  capabilitiesFor,
} from '../../src/access/access.ts';

/** Operations, and for srs:edit, agent:execute, widget:write and read:demo whether they may. */
const TABLE = `
GET projects                  yes yes - yes
POST projects                 yes - - -
GET srs-graph                 yes yes - yes
GET srs-source-audit          yes yes - yes
GET srs-story/:id             yes yes - yes
GET srs-workflow/:id          yes yes - yes
POST story-edits              yes - - -
PATCH story-edits             yes - - -
POST story-additions          yes - - -
DELETE story-additions        yes - - -
GET project-traceability      yes yes - yes
POST project-traceability     yes - - -
GET validation-transfer       yes yes - yes
POST validation-transfer      yes - - -
GET test-commands             yes yes - yes
POST test-commands            - yes - -
PATCH test-commands           - yes - -
GET test-runs                 yes yes - yes
POST test-runs                - yes - -
GET run-state                 yes yes - yes
POST run-state                - yes yes -
POST agent/plan               - yes - -
POST agent/suite              - yes - -
GET project-scenarios         yes yes - yes
POST project-scenarios        yes - - -
GET route-catalog             yes yes - yes
GET route-candidates          yes yes - yes
GET issues                    yes yes - yes
POST issues                   - yes yes -
PATCH issues/:id              - - - -
POST issues/:id/attachments   - yes yes -
GET files/:key                by signature
GET system-logs               - yes - yes
POST system-logs              - yes - -
PATCH system-logs             - - - -
GET health                    yes yes yes yes
GET ready                     yes yes yes yes
GET project-handoff           yes yes - yes
`;

const lines = TABLE.trim()
  .split('\n')
  .map((line) => line.split(/\s+/));

describe('the table [PQRS-67]', () => {
  test('has every operation of the interface, in its order, and no other', () => {
    expect(ACCESS.map((row) => row.key as string)).toEqual(
      lines.map(([method, path]) => `${method} /${path}`),
    );
  });

  for (const [method, path, ...cells] of lines) {
    test(`${method} /${path}`, () => {
      const row = ACCESS.find((one) => one.key === `${method} /${path}`)!;
      if (cells[0] === 'by') {
        expect(row.allow).toBe('signature');
        return;
      }
      const others = ['srs:edit', 'agent:execute', 'widget:write', 'read:demo'];
      const allowed = others.filter((_, at) => cells[at] === 'yes');
      expect([...row.allow].sort()).toEqual(allowed.sort() as Capability[]);
    });
  }

  test('names each operation once, as a verb and a noun', () => {
    const names = ACCESS.map((row) => row.operationId);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z]+(?:[A-Z][a-z]+)+$/);
    for (const { purpose } of ACCESS) expect(purpose.length).toBeGreaterThan(5);
  });
});

describe('the acting capability [PQRS-67]', () => {
  const held = fc.uniqueArray(fc.constantFrom(...CAPABILITIES));
  const rows = fc.constantFrom(...ACCESS);
  const actingOf = (row: AccessRow, capabilities: readonly Capability[], readOnly = false) =>
    actingCapability(row, { capabilities: new Set(capabilities), readOnly });

  test('is one that is held and allowed, and the least restricted of them', () => {
    fc.assert(
      fc.property(rows, held, (row, capabilities) => {
        const acting = actingOf(row, capabilities);
        const would = capabilitiesFor(row).filter((one) => capabilities.includes(one));
        expect(acting).toBe(would[0]);
        if (acting === undefined) expect(would).toEqual([]);
      }),
    );
  });

  test('of an owner is always that of the owner', () => {
    fc.assert(
      fc.property(rows, held, (row, capabilities) => {
        if (row.allow === 'signature') return;
        const acting = actingOf(row, [...capabilities, 'project:owner']);
        expect(acting).toBe('project:owner');
      }),
    );
  });

  test('of a read-only token is what it would be for GET, and none for all else', () => {
    fc.assert(
      fc.property(rows, held, (row, capabilities) => {
        const expected = row.method === 'GET' ? actingOf(row, capabilities) : undefined;
        expect(actingOf(row, capabilities, true)).toBe(expected);
      }),
    );
  });

  test('never comes with more than is held', () => {
    fc.assert(
      fc.property(rows, held, (row, capabilities) => {
        const acting = actingOf(row, capabilities);
        if (acting !== undefined) expect(capabilities).toContain(acting);
      }),
    );
  });
});
