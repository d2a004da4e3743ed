// A project of its own for tests of traceability: three stories that count, one that is rejected, and
// a scenario that names one of them.
import type { Static } from '@sinclair/typebox';
import type { StoryCoverageAnswer, Summary } from '../../src/assurance/coverage/model.ts';
import type { TraceabilityWritten, TraceView } from '../../src/assurance/traceability/model.ts';
import type { Client } from './client.ts';
import { makeRequirementProject, type RequirementProject } from './requirement-project.ts';
import type { Page as Listed } from './shapes.ts';

export const STORIES = `# Checkout

## US-1: Paying once

As a customer I pay once.

Tags: pay

Acceptance criteria:

- A second press of the button charges nothing

## US-2: A receipt

As a customer I have a receipt.

Refines: US-1

## US-3: =A refund

As a customer I have my money back.

Status: rejected

## US-4: <b>Vouchers</b>

As a customer I pay with a voucher.

Refines: US-1
`;

export const FEATURE = `Feature: Checkout

  @US-2
  Scenario: A receipt is sent
    Given a paid order
    Then a receipt is sent
`;

export type Trace = TraceView;
export type Written = Static<typeof TraceabilityWritten>;
export type Story = Static<typeof StoryCoverageAnswer>;
export interface Page<T> extends Listed<T> {
  summary: Static<typeof Summary>;
}

export async function begin(api: Client, settings: object = {}): Promise<RequirementProject> {
  const project = await makeRequirementProject(api, settings);
  await project.bring({ 'stories.md': STORIES, 'checkout.feature': FEATURE });
  return project;
}

export const PATH = '/project-traceability';

export const write = (api: Client, { as }: RequirementProject, changes: object) =>
  api.post(PATH, changes, as);

export async function link(api: Client, project: RequirementProject, storyId: string, id = 't1:a') {
  const add = [{ storyId, type: 'verifies', target: { kind: 'test', id } }];
  const { added } = (await write(api, project, { add })).must(200).json<Written>();
  return added[0] as Trace;
}

export async function statuses(project: RequirementProject) {
  const { items } = await project.get<Page<Story>>(PATH);
  return Object.fromEntries(
    items.map(({ storyId, status, inherited }) => [storyId, inherited ? `(${status})` : status]),
  );
}

export const tracesOf = async (project: RequirementProject, query: object = {}) =>
  (await project.get<Page<Trace>>(PATH, { view: 'traces', ...query })).items;
