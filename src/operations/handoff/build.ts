// A handoff out of the facts, for one caller. Pure, and in a fixed order.
import {
  ACCESS,
  accessRow,
  actingCapability,
  CAPABILITIES,
  PREFIXES,
  type Rights,
} from '../../access/access.ts';
import type { Caller } from '../../access/caller.ts';
import { MAX_LEASE_MS } from '../../agents/suites/leases.ts';
import type { Limits } from '../../limits.ts';
import { MAX_PAGE_SIZE, PAGE_DEFAULT } from '../../model/pages.ts';
import { VERSION } from '../../version.ts';
import type { Candidate, Facts } from './candidates.ts';
import { CONVENTIONS } from './conventions.ts';
import {
  type Handoff,
  type HandoffAction,
  type HandoffCall,
  SCHEMA_VERSION,
  SHOWN,
} from './model.ts';
import { WORKFLOWS } from './workflows.ts';

const OPENAPI = '/openapi.json';

export function buildHandoff(
  { candidates, ...facts }: Facts,
  caller: Pick<Caller, 'tokenId' | 'label' | 'capabilities' | 'readOnly'>,
  limits: Limits,
): Handoff {
  const calls = callsOf(caller);
  const able = new Set(calls.map(({ operationId }) => operationId));
  return {
    schemaVersion: SCHEMA_VERSION,
    service: {
      name: 'pqrs',
      version: VERSION,
      prefixes: [...PREFIXES],
      openapi: OPENAPI,
      docs: '/docs',
      schema: `${OPENAPI}#/components/schemas/Handoff`,
    },
    caller: {
      tokenId: caller.tokenId,
      label: caller.label,
      capabilities: CAPABILITIES.filter((one) => caller.capabilities.has(one)),
      calls,
    },
    ...facts,
    nextActions: rankActions(candidates, caller),
    workflows: WORKFLOWS.filter(({ steps }) => steps.every((step) => able.has(step.operationId))),
    conventions: [...CONVENTIONS],
    limits: {
      ...limits,
      pageDefault: PAGE_DEFAULT,
      pageMost: MAX_PAGE_SIZE,
      leaseMsMost: MAX_LEASE_MS,
    },
  };
}

function callsOf(rights: Rights): HandoffCall[] {
  return ACCESS.flatMap((row): HandoffCall[] => {
    const capability = actingCapability(row, rights);
    if (!capability) return [];
    const { method, operationId, purpose } = row;
    const path = `/api${row.path.replace(/:(\w+)/g, '{$1}')}`;
    const pointer = path.replaceAll('~', '~0').replaceAll('/', '~1');
    const schema = `${OPENAPI}#/paths/${pointer}/${method.toLowerCase()}`;
    return [{ method, path, operationId, purpose, capability, schema }];
  });
}

function rankActions(candidates: readonly Candidate[], rights: Rights): HandoffAction[] {
  const actions: HandoffAction[] = [];
  for (const { operation, action, why, path, body, headers, capability: needed } of candidates) {
    const row = accessRow(operation);
    const capability = actingCapability(row, rights);
    if (!capability || actions.length >= SHOWN.actions) continue;
    if (needed && capability !== needed && capability !== 'project:owner') continue;
    const request = {
      method: row.method,
      path: path ?? `/api${row.path}`,
      headers: {
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: body ?? null,
    };
    actions.push({ rank: actions.length + 1, action, why, capability, request });
  }
  return actions;
}
