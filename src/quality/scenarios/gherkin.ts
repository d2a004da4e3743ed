// Scenarios that come as Gherkin text, read as a source of the project is.
import { isUtf8 } from 'node:buffer';
import { type FieldError, invalid, Problem } from '../../errors.ts';
import { compileCheck, ERRORS_SHOWN } from '../../model/validate.ts';
import type { Finding } from '../../requirements/audit/finding.ts';
import type { Catalog } from '../../requirements/import/read-sources.ts';
import type { SourceScenario } from '../../requirements/sources/model.ts';
import { type GherkinFinding, MAX_SCENARIOS, ScenarioBody, type ScenarioInput } from './model.ts';
import { sourceContent } from './rows.ts';

export class GherkinText {
  /** Each with the line where it begins. */
  readonly scenarios: readonly (ScenarioInput & { line: number })[];
  /** What is kept in another way than it may seem, or says nothing of a scenario and is not kept. */
  readonly findings: GherkinFinding[];

  constructor(scenarios: readonly SourceScenario[], findings: GherkinFinding[]) {
    this.scenarios = scenarios.map((one) => ({ ...inputOf(one), line: one.line }));
    this.findings = findings;
  }
}

/**
 * Reads the text of a feature.
 *
 * @throws Problem `malformed_body` for what is not UTF-8, `invalid` with the lines that cannot be read
 */
export async function readGherkinText(bytes: Uint8Array): Promise<GherkinText> {
  if (!isUtf8(bytes)) throw new Problem('malformed_body', 'The body is not UTF-8.');
  if (bytes.includes(0)) throw invalid('', 'must not hold the character NUL');
  // Loaded where Gherkin is read: the readers are large.
  const { runImport } = await import('../../requirements/import/run-import.ts');
  const file = { path: 'the text', bytes, format: 'gherkin' as const };
  const read = await runImport({ files: [file], normative: [], revision: 0 });
  const { scenarios }: Catalog = parsed(read.catalog);
  const found: Finding[] = parsed(read.findings);
  const findings = found.sort((a, b) => a.line - b.line);
  refuse(findings.filter(({ severity }) => severity !== 'info'));
  if (scenarios.length === 0) throw invalid('', 'must hold at least one scenario');
  if (scenarios.length > MAX_SCENARIOS)
    throw invalid('', `holds ${scenarios.length} scenarios; at most ${MAX_SCENARIOS} go together`);
  refuse(scenarios.flatMap(faultsOf));
  return new GherkinText(
    scenarios,
    findings.map(({ code, line, detail }) => ({ code, line, detail })),
  );
}

function parsed<T>(json: Uint8Array): T {
  return JSON.parse(new TextDecoder().decode(json));
}

function inputOf(scenario: SourceScenario): ScenarioInput {
  const { key, feature, title, steps, examples, tags, storyIds } = sourceContent(scenario);
  return { key, feature, title, steps, examples, tags, storyIds };
}

const checkInput = compileCheck(ScenarioBody);

function faultsOf(scenario: SourceScenario): { line: number; detail: string }[] {
  try {
    checkInput(inputOf(scenario));
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.errors.map(({ pointer, detail }) => ({
      line: scenario.line,
      detail: `${pointer.slice(1)} ${detail}`,
    }));
  }
}

function refuse(faults: readonly { line: number; detail: string }[]): void {
  if (faults.length === 0) return;
  const errors: FieldError[] = faults
    .slice(0, ERRORS_SHOWN)
    .map(({ line, detail }) => ({ pointer: '', detail: lined(line, detail) }));
  throw new Problem('invalid', 'The Gherkin cannot be read.', { errors });
}

export function lined(line: number, detail: string): string {
  return line > 0 ? `line ${line}: ${detail}` : detail;
}
