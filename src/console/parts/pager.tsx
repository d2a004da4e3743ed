// The way through a long list: each page of it has an address, and takes the place of the one before.
import { type Route, withQuery } from '../core/route.ts';

interface PagerProps {
  route: Route;
  next: string | null | undefined;
}

export function Pager({ route, next }: PagerProps) {
  const isFirst = !route.query.has('cursor');
  if (isFirst && !next) return null;
  return (
    <nav class="pager line" aria-label="Pages of the list">
      {!isFirst && (
        <a class="button" href={withQuery(route, { cursor: null })}>
          First page
        </a>
      )}
      {next && (
        <a class="button" href={withQuery(route, { cursor: next })}>
          Next page
        </a>
      )}
    </nav>
  );
}
