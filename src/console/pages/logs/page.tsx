// What systems wrote and what the service itself noted, the newest first, as it comes.
import { href, type PageProps, type Route, withQuery } from '../../core/route.ts';
import { PageHead, Segments } from '../../parts/layout.tsx';
import { Entries } from './entries.tsx';
import { Entry } from './entry.tsx';
import { Groups } from './groups.tsx';

export function Page({ route }: PageProps) {
  const [id] = route.rest;
  const isGrouped = route.query.get('view') === 'groups';
  const list: Route = { ...route, rest: [] };
  const views = (
    <Segments
      label="View"
      choices={[
        { name: 'Entries', address: withQuery(list, { view: null }), current: !isGrouped },
        { name: 'Alike', address: href('logs', [], { view: 'groups' }), current: isGrouped },
      ]}
    />
  );
  if (isGrouped)
    return (
      <>
        <PageHead title="Logs" sub="alike, but for their numbers">
          {views}
        </PageHead>
        <Groups />
      </>
    );
  return (
    <Entries route={list} chosen={id} views={views}>
      {id !== undefined && <Entry key={id} id={id} close={withQuery(list, {})} />}
    </Entries>
  );
}
