// The revisions of the project and the files of the latest.
import { useState } from 'preact/hooks';
import { counted, grouped } from '../../core/format.ts';
import { href, type Route, withQuery } from '../../core/route.ts';
import { Card } from '../../parts/layout.tsx';
import { Load, More } from '../../parts/states.tsx';
import { type Status, StatusIcon } from '../../parts/status.tsx';
import { Time } from '../../parts/text.tsx';
import { type Source, useRevisions } from './answers.ts';

const REVISIONS_SHOWN = 6;
const FILES_SHOWN = 12;
const MORE = 100;

export function Revisions({ revision }: { revision: number }) {
  const [shown, setShown] = useState(REVISIONS_SHOWN);
  const answer = useRevisions(revision);
  return (
    <Card title="Revisions">
      <Load answer={answer}>
        {({ revisions, baselines }) => (
          <>
            {revisions.slice(0, shown).map(({ revision: number, nodes, author, createdAt }) => (
              <div key={number} class="row">
                <b class="strong number">{number}</b>
                <span class="grow second small">
                  {counted(nodes, 'node')}, by {author.label ?? author.tokenId}{' '}
                  <Time at={createdAt} />{' '}
                  {baselines
                    .filter((one) => one.revision === number)
                    .map(({ name }) => (
                      <span key={name} class="tag plain cut">
                        {name}
                      </span>
                    ))}
                </span>
                {number > 1 && (
                  <a
                    class="button compact"
                    href={href('sources', 'changes', { from: number - 1, to: number })}
                  >
                    Changes
                  </a>
                )}
              </div>
            ))}
            <More more={shown < revisions.length ? () => setShown(shown + MORE) : undefined} />
          </>
        )}
      </Load>
    </Card>
  );
}

const STATUS: Record<Source['status'], Status> = {
  parsed: 'passing',
  partial: 'suspect',
  failed: 'failing',
  ignored: 'unexecuted',
};

export function Files({ route, sources }: { route: Route; sources: readonly Source[] }) {
  const [shown, setShown] = useState(FILES_SHOWN);
  const worst = Object.keys(STATUS);
  const inOrder = sources.toSorted((a, b) => placeOf(a) - placeOf(b) || (a.path < b.path ? -1 : 1));
  function placeOf({ status }: Source) {
    return status === 'failed' ? -1 : worst.indexOf(status === 'partial' ? 'parsed' : status);
  }
  return (
    <Card title="Files" aside={counted(sources.length, 'file')}>
      {inOrder.slice(0, shown).map(({ path, status, format, items }) => (
        <a key={path} class="row small" href={withQuery(route, { path })}>
          <span title={`${status}${format ? `, ${format}` : ''}`}>
            <StatusIcon status={STATUS[status]} size="small" />
            <span class="hidden">{status}</span>
          </span>
          <span class="grow cut mono">{path}</span>
          <span class="faint">{grouped(items)}</span>
        </a>
      ))}
      <More more={shown < sources.length ? () => setShown(shown + MORE) : undefined} />
    </Card>
  );
}
