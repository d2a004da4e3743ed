// The ids of sections, which are made of their titles.

/** A title as the end of an address: letters and digits, joined by hyphens. */
export function slugOf(title: string): string {
  return title
    .slice(0, 200)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .replaceAll(' ', '-');
}

/** A slug that none of those before has: the second of a title ends in `-2`. */
export function uniqueSlug(title: string, slugs: Map<string, number>): string {
  const slug = slugOf(title);
  let count = slugs.get(slug) ?? 0;
  let unique = slug;
  do {
    count++;
    unique = count === 1 ? slug : `${slug}-${count}`;
  } while (count > 1 && slugs.has(unique));
  slugs.set(slug, count);
  if (unique !== slug) slugs.set(unique, 1);
  return unique;
}
