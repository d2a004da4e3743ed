// The slug of a project that a command makes.
import { isSlug, SLUG } from '../../slug.ts';
import { UsageError } from '../command.ts';

/**
 * The slug that is given, or one made of the name.
 *
 * @throws UsageError where it is none, and where none can be made
 */
export function slugFor(name: string, given: string | undefined): string {
  const slug = given ?? slugOf(name);
  if (isSlug(slug)) return slug;
  if (given !== undefined) throw new UsageError(`--slug ${SLUG.says}`);
  throw new UsageError(`no slug can be made of this name; --slug gives one: it ${SLUG.says}`);
}

/** What is no letter or digit of ASCII becomes a hyphen. */
function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, SLUG.charactersMost)
    .replace(/-+$/, '');
}
