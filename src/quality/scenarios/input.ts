// Scenarios as they are sent: one, a list of them, or Gherkin text.
import { invalid, Problem } from '../../errors.ts';
import { compileCheck, invalidFields } from '../../model/validate.ts';
import type { SourceScenario } from '../../requirements/sources/model.ts';
import { declaredText } from '../routes/route-text.ts';
import { type GherkinText, lined, requireReadable } from './gherkin.ts';
import type { GherkinFinding } from './gherkin-reading.ts';
import { ScenarioBody, type ScenarioInput } from './model.ts';
import { sourceContent } from './rows.ts';

/** A scenario that is to be written; fields that are not given stay as they are. */
export type PlacedScenario = ScenarioInput & {
  /** Where in the body it stands, for errors: a JSON pointer, or nothing. */
  pointer: string;
  /** The line of a Gherkin text; 0 for JSON. */
  line: number;
};

export interface ScenarioInputs {
  inputs: readonly PlacedScenario[];
  /** Whether it was one scenario, not a list. */
  single: boolean;
  /** What a Gherkin text says that none of them holds, or not as it may seem. */
  findings: readonly GherkinFinding[];
}

const checkOne = compileCheck(ScenarioBody);

/** @throws Problem `invalid` for none, or for two of one key */
export function jsonInputs(given: readonly ScenarioInput[], single: boolean): ScenarioInputs {
  if (given.length === 0) throw invalid('', 'must hold at least one scenario');
  const inputs = given.map((input, at) => ({
    ...tidy(input),
    pointer: single ? '' : `/${at}`,
    line: 0,
  }));
  return { inputs: eachOnce(inputs), single, findings: [] };
}

/** @throws Problem `invalid` that names the lines */
export function gherkinInputs(text: GherkinText): ScenarioInputs {
  return { inputs: eachOnce(ofGherkin(text)), single: false, findings: text.read.findings };
}

function tidy(input: ScenarioInput): ScenarioInput {
  const { steps, tags, routes, storyIds } = input;
  return {
    ...input,
    // In one order of the fields, by which two are compared.
    steps: steps.map(({ keyword, text }) => ({ keyword, text })),
    ...(tags && { tags: unique(tags.map((tag) => tag.replace(/^@(?=.)/, ''))) }),
    ...(routes && { routes: unique(routes.map(declaredText)) }),
    ...(storyIds && { storyIds: unique(storyIds) }),
  };
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

function ofGherkin({ read }: GherkinText): PlacedScenario[] {
  requireReadable(read);
  const errors = read.scenarios.flatMap((scenario) => errorsOf(scenario));
  if (errors.length > 0) throw invalidFields(errors.slice(0, 50));
  return read.scenarios.map((scenario) => ({
    ...inputOf(scenario),
    pointer: '',
    line: scenario.line,
  }));
}

function inputOf({ key, ...scenario }: SourceScenario): ScenarioInput {
  const { feature, title, steps, examples, storyIds, tags } = sourceContent({ key, ...scenario });
  return { key, feature, title, steps, examples, storyIds, tags };
}

function errorsOf(scenario: SourceScenario) {
  const { line } = scenario;
  if (scenario.title === '')
    return [{ pointer: '', detail: lined(line, 'a scenario must have a title') }];
  if (scenario.steps.length === 0)
    return [{ pointer: '', detail: lined(line, 'a scenario must have at least one step') }];
  try {
    checkOne(inputOf(scenario));
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.errors.map(({ pointer, detail }) => ({
      pointer: '',
      detail: lined(line, `${pointer.slice(1)} ${detail}`),
    }));
  }
}

/** @throws Problem `invalid` where a key comes twice */
function eachOnce(inputs: readonly PlacedScenario[]): readonly PlacedScenario[] {
  const seen = new Set<string>();
  for (const { key, pointer } of inputs) {
    if (seen.has(key)) throw invalid(`${pointer}/key`, 'is given twice');
    seen.add(key);
  }
  return inputs;
}
