// The list of entries with its filters, and whether it is followed.
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { api, useAnswer, useList } from '../../core/api.ts';
import { counted, grouped } from '../../core/format.ts';
import { useKeys, useRowKeys } from '../../core/keys.ts';
import { go, type Route, withQuery } from '../../core/route.ts';
import { Chip, PageHead } from '../../parts/layout.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { Empty, Load, More } from '../../parts/states.tsx';
import { SeverityIcon } from '../../parts/status.tsx';
import {
  filtersOf,
  LEVELS,
  type Level,
  type LogEntry,
  SEARCHED,
  STREAMED,
  streamOf,
} from './answers.ts';
import { type Following, useFollowing } from './following.ts';
import { Window } from './window.tsx';

interface EntriesProps {
  route: Route;
  chosen: string | undefined;
  views: ComponentChildren;
  /** The chosen entry. */
  children: ComponentChildren;
}

export function Entries({ route, chosen, views, children }: EntriesProps) {
  useRowKeys();
  useKeys({ Escape: () => chosen && go(withQuery(route, {})) });
  const filters = filtersOf(route.query);
  const path = streamOf(filters);
  const following = useFollowing(path);
  const [followed, setFollowed] = useState<string>();
  useEffect(() => {
    if (following.connected) setFollowed(path);
  }, [following.connected, path]);
  const inputs = [route.query.toString(), path !== undefined && followed === path];
  // Once more when it is followed: what came between the first answer and the stream.
  const list = useList(
    (cursor) =>
      api()['system-logs'].get({ query: { ...filters, limit: 100, ...(cursor && { cursor }) } }),
    inputs,
  );
  const { level: _level, minLevel: _least, ...others } = filters;
  const counts = useAnswer(
    () => api()['system-logs'].get({ query: { ...others, count: true, limit: 1 } }),
    inputs,
  );
  const answered = counts.data as
    | { total?: number; more?: true; levels?: Record<Level, number> }
    | undefined;
  const listed = list.items as unknown as LogEntry[];
  const known = new Set(listed.map(({ id }) => id));
  const fresh = following.entries.filter(({ id }) => !known.has(id));
  const entries = [...fresh, ...listed];
  return (
    <>
      <PageHead title="Logs" sub={<State following={following} isFollowed={path !== undefined} />}>
        {views}
        {path !== undefined && (
          <button
            type="button"
            class="button"
            aria-pressed={following.paused}
            onClick={() => following.setPaused(!following.paused)}
          >
            {following.paused
              ? `Go on${following.waiting > 0 ? `, ${grouped(following.waiting)} new` : ''}`
              : 'Pause'}
          </button>
        )}
      </PageHead>
      <div class="filters">
        {LEVELS.map((level) => (
          <LevelChip
            key={level}
            route={route}
            level={level}
            chosen={filters.level ?? []}
            count={countOf(level, answered?.levels, fresh)}
          />
        ))}
        <OtherChips route={route} />
        <SourceField route={route} entries={entries} />
        <SearchField
          route={route}
          name="q"
          label="Words of message and fields"
          placeholder={'Words, "a phrase", a request id'}
        />
      </div>
      <div class={`log-page ${children ? 'with-entry' : ''}`}>
        <Load answer={list}>
          {() =>
            entries.length > 0 ? (
              <Window
                route={route}
                entries={entries}
                added={fresh.length}
                chosen={chosen}
                more={list.more}
              />
            ) : (
              <None isNarrowed={route.query.size > 0} />
            )
          }
        </Load>
        {children}
      </div>
      {list.moreProblem && <More more={list.more} problem={list.moreProblem} />}
      {answered?.total !== undefined && (
        <p class="small faint">
          {answered.more ? 'More than ' : ''}
          {counted(answered.total + fresh.length, 'entry', 'entries')} of every level
        </p>
      )}
    </>
  );
}

function countOf(
  level: Level,
  levels: Record<Level, number> | undefined,
  fresh: readonly LogEntry[],
): number | undefined {
  return levels && levels[level] + fresh.filter((one) => one.level === level).length;
}

function State({ following, isFollowed }: { following: Following; isFollowed: boolean }) {
  const { connected, paused } = following;
  if (!isFollowed) return <>a search is not followed</>;
  const state = paused ? 'paused' : connected ? 'following' : 'not connected, trying again';
  return (
    <span class={`following ${connected && !paused ? 'on' : ''}`} role="status" data-state={state}>
      {state}
    </span>
  );
}

const LOUD: readonly Level[] = ['fatal', 'error', 'warn'];

interface LevelChipProps {
  route: Route;
  level: Level;
  chosen: readonly Level[];
  count: number | undefined;
}

function LevelChip({ route, level, chosen, count }: LevelChipProps) {
  const on = chosen.includes(level);
  const after = on ? chosen.filter((one) => one !== level) : [...chosen, level];
  return (
    <Chip address={withQuery(route, { level: after.join(',') })} pressed={on} count={count}>
      {LOUD.includes(level) && <SeverityIcon severity={level} size="small" />}
      {level}
    </Chip>
  );
}

function OtherChips({ route }: { route: Route }) {
  const shown = [...STREAMED, ...SEARCHED, 'minLevel'].filter(
    (name) => name !== 'q' && name !== 'source' && route.query.get(name),
  );
  return (
    <>
      {shown.map((name) => (
        <Chip key={name} address={withQuery(route, { [name]: null })} pressed>
          {name.replace('Id', '')} <span class="mono cut">{route.query.get(name)}</span> ×
          <span class="hidden">: show all</span>
        </Chip>
      ))}
    </>
  );
}

function SourceField({ route, entries }: { route: Route; entries: readonly LogEntry[] }) {
  const value = route.query.get('source') ?? '';
  const seen = new Set([value, ...entries.map(({ source }) => source ?? '')]);
  return (
    <select
      class="input"
      aria-label="Source"
      value={value}
      onChange={({ currentTarget }) => go(withQuery(route, { source: currentTarget.value }))}
    >
      <option value="">Every source</option>
      {[...seen]
        .filter(Boolean)
        .sort()
        .map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
    </select>
  );
}

function None({ isNarrowed }: { isNarrowed: boolean }) {
  return (
    <section class="card" aria-label="Entries">
      {isNarrowed ? (
        <Empty title="No entry is like that">
          <a class="button" href="#/logs">
            Show all
          </a>
        </Empty>
      ) : (
        <Empty title="Nothing was written yet">
          <p>Any system may, with a token that holds agent:execute:</p>
          <pre class="code">{`curl ${location.origin}/api/system-logs -H "Authorization: Bearer $TOKEN" \\
  --json '{"level":"error","source":"lab-3","message":"board 7 is gone"}'`}</pre>
        </Empty>
      )}
    </section>
  );
}
