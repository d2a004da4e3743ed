// Entries that are alike but for their numbers, the ones seen last first.
import { api, useList } from '../../core/api.ts';
import { grouped } from '../../core/format.ts';
import { useRowKeys } from '../../core/keys.ts';
import { href } from '../../core/route.ts';
import { Load, More } from '../../parts/states.tsx';
import { SeverityIcon } from '../../parts/status.tsx';
import { Time } from '../../parts/text.tsx';

export function Groups() {
  useRowKeys();
  const list = useList(
    (cursor) => api()['system-logs'].get({ query: { view: 'groups', ...(cursor && { cursor }) } }),
    [],
  );
  return (
    <Load answer={list}>
      {() => (
        <section class="card" aria-label="Groups">
          {list.items.map(
            (group) =>
              'lastAt' in group && (
                <a
                  key={group.fingerprint}
                  class="row"
                  href={href('logs', [], { fingerprint: group.fingerprint })}
                  data-row
                >
                  <SeverityIcon severity={group.level} />
                  <span class="grow">
                    <span class="cut block-line">{group.message}</span>
                    <span class="small faint">
                      {group.level}
                      {group.source && `, ${group.source}`}
                    </span>
                  </span>
                  <b class="strong number">×{grouped(group.occurrences)}</b>
                  <span class="small faint when">
                    <Time at={group.lastAt} />
                  </span>
                </a>
              ),
          )}
          {list.items.length === 0 && <p class="inside second">Nothing was written yet.</p>}
          <More more={list.more} problem={list.moreProblem} />
        </section>
      )}
    </Load>
  );
}
