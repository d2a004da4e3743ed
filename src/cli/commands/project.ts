// `pqrs init`: make the data folder with its first project, and stop. `pqrs project`: make and list projects.
import { resolve } from 'node:path';
import { isatty } from 'node:tty';
import { Problem } from '../../errors.ts';
import { openContext } from '../../http/api/context.ts';
import { isSlug, SLUG } from '../../limits.ts';
import { openLog } from '../../log.ts';
import { openServices } from '../../services.ts';
import { firstStart } from '../administration/first-start.ts';
import { runAdministration } from '../administration/run.ts';
import { type Command, CommandFailed, requireOneLine, tableLines, UsageError } from '../command.ts';

export const init: Command = {
  name: 'init',
  help: 'Make the data folder and its first project, and stop.',
  settings: ['dataDir', 'databaseUrl', 'databaseToken', 'project', 'demo', 'logLevel'],
  async run({ config }) {
    const services = await openServices({ config, log: openLog('warn', true) });
    const context = await openContext(services);
    try {
      const { owner, ownerFile } = await firstStart(context);
      if (config.demo) {
        const { loadDemo } = await import('../administration/demo.ts');
        await loadDemo(context);
      }
      const dataDir = resolve(config.dataDir);
      const { slug: project, token } = owner ?? {};
      const data = { dataDir, created: owner !== undefined, project, token };
      const made = isatty(1)
        ? [`token    ${token}`, `         (shown this once; also in ${ownerFile})`]
        : [`token    in ${ownerFile}`];
      const lines = owner ? [`project  ${project}`, ...made] : ['there is a project already'];
      return { data, lines: [`data     ${dataDir}`, ...lines] };
    } finally {
      await context.close();
    }
  },
};

export const projectCreate: Command = {
  name: 'project create',
  args: ['NAME'],
  usage: '[--slug SLUG]',
  help: 'Make a project and print its owner token, once.',
  options: { slug: { kind: 'text', help: 'its slug; made of the name unless given' } },
  async run(call) {
    const name = requireOneLine('NAME', call.positionals[0] ?? '');
    const slug = slugFor(name, call.text('slug'));
    const made = await runAdministration(call, 'project create', { name, slug }).catch((error) => {
      if (!(error instanceof Problem) || error.code !== 'slug_taken') throw error;
      throw new CommandFailed(`there is a project "${slug}" already; --slug gives another`);
    });
    return { data: made, lines: [`project  ${made.project.slug}`, `token    ${made.token}`] };
  },
};

/** The slug that is given, or one made of the name. @throws UsageError */
export function slugFor(name: string, given: string | undefined): string {
  const slug = given ?? slugOf(name);
  if (isSlug(slug)) return slug;
  if (given !== undefined) throw new UsageError(`--slug ${SLUG.says}`);
  throw new UsageError(`no slug can be made of this name; --slug gives one: it ${SLUG.says}`);
}

function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const hyphened = plain.replace(/[^a-z0-9]+/g, '-').replace(/^-+/, '');
  return hyphened.slice(0, SLUG.charactersMost).replace(/-+$/, '');
}

export const projectList: Command = {
  name: 'project list',
  help: 'List the projects.',
  async run(call) {
    const all = await runAdministration(call, 'project list', {});
    const rows = all.map((one) => [one.slug, one.name, String(one.revision), one.id]);
    return { data: all, lines: tableLines(['SLUG', 'NAME', 'REVISION', 'ID'], rows) };
  },
};
