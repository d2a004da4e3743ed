// `pqrs project`: make and list projects.
import { Problem } from '../../errors.ts';
import { isSlug, SLUG } from '../../slug.ts';
import { runAdministration } from '../administration/run.ts';
import {
  type Command,
  CommandFailed,
  print,
  printJson,
  printTable,
  requireOneLine,
  requirePositionals,
  UsageError,
} from '../command.ts';

export const projectCreate: Command = {
  name: 'project create',
  usage: 'NAME [--slug SLUG]',
  help: 'Make a project and print its owner token, once.',
  options: { slug: { kind: 'text', help: 'its slug; made of the name unless given' } },
  async run(call) {
    const [given = ''] = requirePositionals(call, 'NAME');
    const name = requireOneLine('NAME', given);
    const slug = slugFor(name, call.text('slug'));
    const made = await runAdministration(call, 'project create', { name, slug }).catch((error) => {
      if (!(error instanceof Problem) || error.code !== 'slug_taken') throw error;
      throw new CommandFailed(
        `there is a project with the slug "${slug}" already; --slug gives another`,
      );
    });
    if (call.json) return printJson(made);
    print(`project  ${made.project.slug}`);
    print(`token    ${made.token}`);
  },
};

/**
 * The slug that is given, or one made of the name.
 *
 * @throws UsageError where it is none, and where none can be made
 */
export function slugFor(name: string, given: string | undefined): string {
  const slug = given ?? slugOf(name);
  if (isSlug(slug)) return slug;
  throw new UsageError(
    given === undefined
      ? `no slug can be made of this name; --slug gives one: it ${SLUG.says}`
      : `--slug ${SLUG.says}`,
  );
}

function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const hyphened = plain.replace(/[^a-z0-9]+/g, '-').replace(/^-+/, '');
  return hyphened.slice(0, SLUG.charactersMost).replace(/-+$/, '');
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
