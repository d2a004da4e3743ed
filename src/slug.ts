// What the slug of a project is made of, in a setting, in a command and in the API.

/** As a pattern for the whole of it, and as a sentence that follows its name. */
export const SLUG = {
  charactersMost: 63,
  pattern: '^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$',
  says: 'must be lower-case letters, digits and inner hyphens, 63 at most',
} as const;

export function isSlug(text: string): boolean {
  return text.length <= SLUG.charactersMost && new RegExp(SLUG.pattern).test(text);
}
