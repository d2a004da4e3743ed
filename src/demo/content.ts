// What the demo project shows: the requirements of pqrs itself, and its test files as commands. Loaded only
// where the demo is on.
import type { CommandInput } from '../agents/commands/model.ts';
import goals from './1-goals.md' with { type: 'text' };
import requirements from './2-requirements.md' with { type: 'text' };
import traceability from './3-traceability.md' with { type: 'text' };
import quality from './4-quality.md' with { type: 'text' };
import evidence from './5-evidence.md' with { type: 'text' };
import access from './6-access.md' with { type: 'text' };
import contract from './7-interface.md' with { type: 'text' };
import operations from './8-operations.md' with { type: 'text' };
import evidenceScenarios from './evidence.feature' with { type: 'text' };
import operationsScenarios from './operations.feature' with { type: 'text' };
import qualityScenarios from './quality.feature' with { type: 'text' };
import requirementsScenarios from './requirements.feature' with { type: 'text' };
import tests from './tests.txt' with { type: 'text' };
import traceabilityScenarios from './traceability.feature' with { type: 'text' };

export interface DemoSource {
  /** The name of the file, which is its path in the source set. */
  path: string;
  text: string;
}

export const DEMO_SOURCES: readonly DemoSource[] = [
  { path: '1-goals.md', text: goals },
  { path: '2-requirements.md', text: requirements },
  { path: '3-traceability.md', text: traceability },
  { path: '4-quality.md', text: quality },
  { path: '5-evidence.md', text: evidence },
  { path: '6-access.md', text: access },
  { path: '7-interface.md', text: contract },
  { path: '8-operations.md', text: operations },
  { path: 'evidence.feature', text: evidenceScenarios },
  { path: 'operations.feature', text: operationsScenarios },
  { path: 'quality.feature', text: qualityScenarios },
  { path: 'requirements.feature', text: requirementsScenarios },
  { path: 'traceability.feature', text: traceabilityScenarios },
];

/**
 * A command for each test file that names stories. How they went comes from whoever runs them: `pqrs agent`
 * in a checkout, or the reports of `npm test`.
 */
export function demoCommands(): CommandInput[] {
  return tests
    .trim()
    .split('\n')
    .map((line) => {
      const [file = '', ...storyIds] = line.split(' ');
      const report = `dist/reports/${file.replaceAll('/', '-').replace(/\.test\.ts$/, '')}.xml`;
      return {
        key: file,
        name: file,
        kind: 'bun-test',
        storyIds,
        argv: ['bun', 'test', '--reporter=junit', `--reporter-outfile=${report}`, `./${file}`],
        report: { format: 'junit', path: report },
        tags: file.split('/').slice(1, -1),
      };
    });
}
