// Pieces of text: ids, times, differences.
import { diffWords } from 'diff';
import { minute, since } from '../core/format.ts';
import { href } from '../core/route.ts';

/** A story's id, as a link to it. */
export function StoryLink({ id }: { id: string }) {
  return (
    <a class="tag id" href={href('requirements', id)}>
      {id}
    </a>
  );
}

export function Time({ at }: { at: string | null | undefined }) {
  if (!at) return <span>never</span>;
  return (
    <time dateTime={at} title={`${minute(at)} UTC`}>
      {since(at)}
    </time>
  );
}

/** What is another text since `before`, word by word. */
export function WordDiff({ before, after }: { before: string; after: string }) {
  return (
    <>
      {diffWords(before, after).map(({ value, added, removed }, index) => {
        if (added) return <ins key={index}>{value}</ins>;
        return removed ? <del key={index}>{value}</del> : value;
      })}
    </>
  );
}

/** A link of data that leaves the console, where it is one that may be opened. */
export function OutsideLink({ url }: { url: string }) {
  if (!/^https?:\/\//i.test(url)) return <span class="mono">{url}</span>;
  return (
    <a class="link" href={url} target="_blank" rel="noreferrer noopener">
      {url}
    </a>
  );
}
