// Reads the scenarios of a Gherkin text by the reader of the sources, and no more of them than a
// request may hold. Loaded where Gherkin is read: the parser is large.

import { readGherkin } from '../../requirements/sources/gherkin/reader.ts';
import type { SourceScenario } from '../../requirements/sources/model.ts';
import { MAX_CONTENT, MAX_SCENARIOS } from './model.ts';

export interface GherkinRead {
  /** None where there are more than a request may hold, or they hold too much. */
  scenarios: readonly SourceScenario[];
  /** How many there are. */
  count: number;
  /** Characters of their steps and examples: what a background says is said in each of them. */
  content: number;
  /** What would not be kept as it was written; a line from 1, or 0. */
  faults: { line: number; detail: string }[];
  /** What is kept in another way than it may seem, or says nothing of a scenario and is not kept. */
  findings: GherkinFinding[];
}

export interface GherkinFinding {
  code: string;
  /** From 1; 0 where it concerns the text as a whole. */
  line: number;
  detail: string;
}

const FAULTS_SHOWN = 50;

export function readScenarios(bytes: Uint8Array): GherkinRead {
  const { scenarios, findings: found } = readGherkin([{ path: 'the text', bytes }]);
  const faults = found
    .filter(({ severity }) => severity !== 'info')
    .slice(0, FAULTS_SHOWN)
    .map(({ line, detail }) => ({ line, detail }));
  const findings = found
    .filter(({ severity }) => severity === 'info')
    .map(({ code, line, detail }) => ({ code, line, detail }))
    .sort((a, b) => a.line - b.line);
  const content = scenarios.reduce((sum, one) => sum + contentOf(one), 0);
  const isKept = scenarios.length <= MAX_SCENARIOS && content <= MAX_CONTENT;
  const kept = isKept ? scenarios : [];
  return { scenarios: kept, count: scenarios.length, content, faults, findings };
}

function contentOf({ steps, examples }: SourceScenario): number {
  let content = 0;
  for (const { keyword, text } of steps) content += keyword.length + text.length;
  for (const row of examples) for (const cell of row) content += cell.length;
  return content;
}
