// The steps of a scenario or a background, each with its argument.
import type { Background, Scenario, Step } from '@cucumber/messages';
import type { SourceScenario } from './model.ts';

/** The steps as they are written. */
export function stepsOf({ steps }: Background | Scenario): SourceScenario['steps'] {
  return steps.map((step) => ({ keyword: step.keyword.trim(), text: stepText(step) }));
}

/** A step's text with its argument below it, since both say what is done. */
function stepText({ text, docString, dataTable }: Step): string {
  const parts = [text];
  if (docString) {
    const { delimiter, mediaType = '', content } = docString;
    parts.push(`${delimiter}${mediaType}`, content, delimiter);
  }
  for (const { cells } of dataTable?.rows ?? []) {
    parts.push(`| ${cells.map(({ value }) => escaped(value)).join(' | ')} |`);
  }
  return parts.join('\n');
}

function escaped(cell: string): string {
  return cell.replaceAll('\\', '\\\\').replaceAll('|', '\\|').replaceAll('\n', '\\n');
}
