// All edits and additions, the newest first: where links of the overview lead.
import type { Static } from '@sinclair/typebox';
import type { Overlay as OverlayBody } from '../../../requirements/overlay/model.ts';
import { api, useList } from '../../core/api.ts';
import { grouped } from '../../core/format.ts';
import { href, type Route, withQuery } from '../../core/route.ts';
import { Card, Chip, PageHead } from '../../parts/layout.tsx';
import { Empty, Load, More } from '../../parts/states.tsx';
import { StoryLink, Time } from '../../parts/text.tsx';

type Overlay = Static<typeof OverlayBody>;

const STATES = ['proposed', 'conflicted', 'accepted', 'active', 'absorbed', 'superseded'] as const;
type State = (typeof STATES)[number];

export function Overlays({ route }: { route: Route }) {
  const state = STATES.filter((one) => route.query.getAll('state').join().split(',').includes(one));
  const list = useList(
    (cursor, signal) =>
      api()['srs-graph'].get({
        query: { view: 'overlays', cursor, ...(state.length > 0 && { state }) },
        fetch: { signal },
      }),
    [state.join()],
  );
  const items = list.items as unknown as Overlay[];
  const toggled = (one: State) =>
    withQuery(route, {
      state: (state.includes(one)
        ? state.filter((other) => other !== one)
        : [...state, one]
      ).join(),
    });
  return (
    <>
      <PageHead
        title="Edits and additions"
        parent={{ title: 'Requirements', address: href('requirements') }}
        sub={list.data && `${grouped(items.length)} shown${list.more ? ', there are more' : ''}`}
      />
      <div class="filters">
        {STATES.map((one) => (
          <Chip key={one} address={toggled(one)} pressed={state.includes(one)}>
            {one}
          </Chip>
        ))}
      </div>
      <Load answer={list}>
        {() =>
          items.length === 0 ? (
            <Empty title="No edit and no addition is so">
              <p>An edit is made where a requirement is read, by the key e.</p>
            </Empty>
          ) : (
            <Card title="The newest first">
              {items.map((one) => (
                <div key={one.id} class="row">
                  <StoryLink id={one.storyId} />
                  <span class="grow">
                    {one.overlay === 'edit' ? Object.keys(one.set).join(', ') : one.title}
                    {one.reason && <span class="second">: {one.reason}</span>}
                  </span>
                  <span class="tag plain">
                    {one.overlay}, {one.state}
                  </span>
                  <span class="small second wide-only">
                    {one.author.label}, <Time at={one.createdAt} />
                  </span>
                </div>
              ))}
              <More more={list.more} />
            </Card>
          )
        }
      </Load>
    </>
  );
}
