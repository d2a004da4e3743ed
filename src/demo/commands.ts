// The test commands of the demo project: each test file of pqrs as a command that verifies the
// stories which its tests name. Nothing here says how they went: that is told by whoever runs them,
// by `pqrs agent` in a checkout or by the reports of `npm test`.
import type { CommandInput } from '../agents/commands/body.ts';
import { DEMO_TESTS } from './tests.ts';

/** A command for each test file that names stories. */
export function demoCommands(): CommandInput[] {
  return DEMO_TESTS.trim()
    .split('\n')
    .map((line) => {
      const [file = '', ...storyIds] = line.split(' ');
      const report = `dist/reports/${file.replaceAll('/', '-').replace(/\.test\.ts$/, '')}.xml`;
      return {
        ...{ key: file, name: file, kind: 'bun-test', storyIds },
        argv: ['bun', 'test', '--reporter=junit', `--reporter-outfile=${report}`, `./${file}`],
        report: { format: 'junit', path: report },
        tags: file.split('/').slice(1, -1),
      };
    });
}
