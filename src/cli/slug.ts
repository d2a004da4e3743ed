// The slug of a project that a command makes.
import { Slug } from '../requirements/model.ts';
import { UsageError } from './command.ts';

const CHARACTERS_MOST = 63;

/**
 * The slug that is given, or one made of the name.
 *
 * @throws UsageError where it is none, and where none can be made
 */
export function slugFor(name: string, given: string | undefined): string {
  const slug = given ?? slugOf(name);
  const isSlug = slug.length <= CHARACTERS_MOST && new RegExp(Slug.pattern ?? '').test(slug);
  if (isSlug) return slug;
  if (given !== undefined) throw new UsageError(`--slug ${Slug.says}`);
  throw new UsageError(`no slug can be made of this name; --slug gives one: it ${Slug.says}`);
}

/** What is no letter or digit of ASCII becomes a hyphen. */
function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, CHARACTERS_MOST)
    .replace(/-+$/, '');
}
