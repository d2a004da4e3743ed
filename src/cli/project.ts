// `pqrs project`: make and list projects.
import { type Command, print, printJson, printTable, requirePositionals } from './command.ts';
import { runAdministration } from './with-administration.ts';

export const projectCreate: Command = {
  name: 'project create',
  usage: 'NAME [--slug SLUG]',
  help: 'Make a project and print its owner token, once.',
  options: { slug: { kind: 'text', help: 'its slug; made of the name unless given' } },
  async run(call) {
    const [name = ''] = requirePositionals(call, 'NAME');
    const made = await runAdministration(call, 'project create', { name, slug: call.text('slug') });
    if (call.json) return printJson(made);
    print(`project  ${(made.project as { slug: string }).slug}`);
    print(`token    ${made.token}`);
  },
};

export const projectList: Command = {
  name: 'project list',
  usage: '',
  help: 'List the projects.',
  options: {},
  async run(call) {
    requirePositionals(call);
    const all = await runAdministration(call, 'project list', {});
    if (call.json) return printJson(all);
    printTable(
      ['SLUG', 'NAME', 'REVISION', 'ID'],
      all.map((one) => [one.slug, one.name, String(one.revision), one.id]),
    );
  },
};
