// Which tags of scenarios are links: a reader knows ids by their look, the graph knows them all.

/**
 * A scenario that links those of its tags too that name a story, whatever its id looks like.
 *
 * @param isStory - whether an id is that of a requirement or story
 */
export function linkTags<T extends { tags?: readonly string[]; storyIds?: readonly string[] }>(
  scenario: T,
  isStory: (id: string) => boolean,
): T {
  const { tags = [], storyIds = [] } = scenario;
  const more = tags.filter((tag) => isStory(tag) && !storyIds.includes(tag));
  return more.length === 0 ? scenario : { ...scenario, storyIds: [...storyIds, ...more] };
}
