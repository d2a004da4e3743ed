// Scenarios that come as Gherkin text, read as a source of the project is.
import { isUtf8 } from 'node:buffer';
import { invalid, Problem } from '../../errors.ts';
import { compileCheck, ERRORS_SHOWN } from '../../model/validate.ts';
import type { Finding } from '../../requirements/audit/finding.ts';
import type { Catalog } from '../../requirements/import/read-sources.ts';
import { type GherkinFinding, MAX_SCENARIOS, ScenarioBody, type ScenarioInput } from './model.ts';
import { sourceContent } from './scenarios.ts';

export class GherkinText {
  scenarios: ScenarioInput[] = [];
  /** What is kept in another way than it may seem, or says nothing of a scenario and is not kept. */
  findings: GherkinFinding[] = [];
}

const check = compileCheck(ScenarioBody);

/**
 * Reads the text of a feature.
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
  const findings: Finding[] = parsed(read.findings);
  findings.sort((a, b) => a.line - b.line);
  refuse(findings.filter(({ severity }) => severity !== 'info'));
  if (scenarios.length === 0) throw invalid('', 'must hold at least one scenario');
  if (scenarios.length > MAX_SCENARIOS)
    throw invalid('', `holds ${scenarios.length} scenarios; at most ${MAX_SCENARIOS} go together`);
  const text = new GherkinText();
  text.findings = findings.map(({ code, line, detail }) => ({ code, line, detail }));
  for (const scenario of scenarios) {
    const input = sourceContent(scenario);
    refuse(faultsOf(input).map((detail) => ({ line: scenario.line, detail })));
    text.scenarios.push(input);
  }
  return text;
}

function parsed<T>(json: Uint8Array): T {
  return JSON.parse(new TextDecoder().decode(json));
}

function faultsOf(input: ScenarioInput): string[] {
  try {
    check(input);
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.errors.map(({ pointer, detail }) => `${pointer.slice(1)} ${detail}`);
  }
}

function refuse(faults: readonly { line: number; detail: string }[]): void {
  if (faults.length === 0) return;
  const errors = faults.slice(0, ERRORS_SHOWN).map(({ line, detail }) => ({
    pointer: '',
    detail: line > 0 ? `line ${line}: ${detail}` : detail,
  }));
  throw new Problem('invalid', 'The Gherkin cannot be read.', { errors });
}
