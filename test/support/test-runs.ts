// Runs as the contract tests submit them: four tests in every format, and what sends them.
import type { Client, Sending } from './client.ts';
import type { FlowOptions } from './flow.ts';
import type { Run } from './shapes.ts';

export type { Result, Run } from './shapes.ts';

export const PATH = '/test-runs';
/** Of the tests that submit runs as agents do. */
export const AGENT: FlowOptions = { needs: ['agent'] };
/** A result that passed, in our own JSON. */
export const PASSED = { name: 'adds', path: ['cart'], file: 'test/cart.test.ts', status: 'passed' };

/** Sends a bare report. */
export const sendReport = (
  api: Client,
  type: string,
  body: string | Uint8Array<ArrayBuffer>,
  over: Sending = {},
) =>
  api.send('POST', PATH, {
    as: 'agent',
    ...over,
    headers: { 'content-type': type, ...over.headers },
    body,
  });

/** Sends our own JSON. */
export const sendJson = (api: Client, body: object, over: Sending = {}) =>
  api.post(PATH, body, { as: 'agent', ...over });

/** Records a run from our own JSON. */
export const record = async (api: Client, body: object, over?: Sending) =>
  (await sendJson(api, body, over)).must(201).json<Run>();

/** Reads a run with its results. */
export const readOne = async (api: Client, id: string) =>
  (await api.get(PATH, { query: { id, limit: 200 } })).must(200).json<Run>();

/** The codes of what was wrong with its harness. */
export const codesOf = ({ harnessErrors }: Run) => harnessErrors.map(({ code }) => code);

/** The same four tests in every format: adds, sums (failed), pays (skipped), ships [US-12]. */
export const JUNIT = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="shop" tests="4" failures="1" skipped="1" time="0.02">
  <testsuite name="cart" file="test/cart.test.ts" tests="4" failures="1" skipped="1" time="0.02">
    <testcase name="adds" time="0.005"/>
    <testcase name="sums" time="0.01"><failure type="AssertionError" message="3 is not 4">at cart.test.ts:7</failure></testcase>
    <testcase name="pays"><skipped/></testcase>
    <testcase name="ships [US-12]" time="0.005"/>
  </testsuite>
</testsuites>
`;
export const CTRF = JSON.stringify({
  reportFormat: 'CTRF',
  specVersion: '0.0.0',
  results: {
    tool: { name: 'shop' },
    summary: {
      ...{ tests: 4, passed: 2, failed: 1, skipped: 1, pending: 0, other: 0 },
      ...{ start: 1_767_261_600_000, stop: 1_767_261_600_020 },
    },
    tests: [
      { name: 'adds', status: 'passed', duration: 5, suite: ['cart'] },
      {
        ...{ name: 'sums', status: 'failed', duration: 10, suite: ['cart'] },
        ...{ message: '3 is not 4', trace: 'at cart.test.ts:7' },
      },
      { name: 'pays', status: 'skipped', duration: 0, suite: ['cart'] },
      { name: 'ships', status: 'passed', duration: 5, suite: ['cart'], tags: ['story:US-12'] },
    ],
  },
});
export const TAP = `TAP version 14
1..4
ok 1 - adds
not ok 2 - sums
  ---
  message: 3 is not 4
  ...
ok 3 - pays # SKIP no card
ok 4 - ships [US-12]
`;
export const OWN = JSON.stringify({
  results: [
    { ...PASSED, durationMs: 5 },
    { ...PASSED, name: 'sums', status: 'failed', durationMs: 10, message: '3 is not 4' },
    { ...PASSED, name: 'pays', status: 'skipped' },
    { ...PASSED, name: 'ships', storyIds: ['US-12'], durationMs: 5 },
  ],
});

/** Each with its format and media type. */
export const FORMATS: [format: string, type: string, body: string][] = [
  ['junit', 'application/xml', JUNIT],
  ['junit', 'text/xml; charset=utf-8', JUNIT],
  ['ctrf', 'application/vnd.ctrf+json', CTRF],
  ['ctrf', 'application/json', CTRF],
  ['tap', 'text/tap', TAP],
  ['pqrs', 'application/json; charset=utf-8', OWN],
];
