// `pqrs project`: make and list projects.
import { Problem } from '../../errors.ts';
import { runAdministration } from '../administration/with-administration.ts';
import {
  type Command,
  CommandFailed,
  print,
  printJson,
  printTable,
  requirePositionals,
} from '../command.ts';
import { requireOneLine } from '../one-line.ts';

export const projectCreate: Command = {
  name: 'project create',
  usage: 'NAME [--slug SLUG]',
  help: 'Make a project and print its owner token, once.',
  options: { slug: { kind: 'text', help: 'its slug; made of the name unless given' } },
  async run(call) {
    const [given = ''] = requirePositionals(call, 'NAME');
    const name = requireOneLine('NAME', given);
    // Not loaded where a server starts.
    const { slugFor } = await import('../administration/slug.ts');
    const slug = slugFor(name, call.text('slug'));
    const made = await runAdministration(call, 'project create', { name, slug }).catch((error) => {
      throw isTaken(error) ? new CommandFailed(taken(slug)) : error;
    });
    if (call.json) return printJson(made);
    print(`project  ${(made.project as { slug: string }).slug}`);
    print(`token    ${made.token}`);
  },
};

function isTaken(error: unknown): boolean {
  return error instanceof Problem && error.code === 'slug_taken';
}

function taken(slug: string): string {
  return `there is a project with the slug "${slug}" already; --slug gives another`;
}

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
