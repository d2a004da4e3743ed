// Which verdicts still hold: what was judged beside what it says today, and what can be done about it.
import { useState } from 'preact/hooks';
import type { Disposition, TransferFilters } from '../../../assurance/validation/model.ts';
import { useAction, useList } from '../../core/api.ts';
import { download } from '../../core/download.ts';
import { counted } from '../../core/format.ts';
import { useRowKeys } from '../../core/keys.ts';
import { href, type PageProps, type Route, withQuery } from '../../core/route.ts';
import { useMay, useMe } from '../../frame/caller.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icons.tsx';
import { Chip, PageHead } from '../../parts/layout.tsx';
import { Empty, Load, More, Refusal } from '../../parts/states.tsx';
import { ALL, askTransfer, KINDS, OPEN, send, type Transfer } from './dispositions.ts';
import { Funnel } from './funnel.tsx';
import { ItemRow } from './item.tsx';

export function Page({ route }: PageProps) {
  useRowKeys();
  const chosen = chosenOf(route);
  const storyId = route.query.get('storyId');
  const filters: TransferFilters = storyId
    ? { storyId: [storyId] }
    : { disposition: chosen.length > 0 ? chosen : [...OPEN] };
  const list = useList(
    (cursor, signal) => askTransfer({ ...filters, ...(cursor && { cursor }) }, signal),
    [JSON.stringify(filters)],
  );
  const transfer = list.data as Transfer | undefined;
  return (
    <>
      <PageHead title="Transfer" sub={transfer && `verdicts on revision ${transfer.revision}`}>
        <BundleButton />
        {transfer && transfer.carriable > 0 && (
          <CarryAll count={transfer.carriable} done={list.reload} />
        )}
      </PageHead>
      <Load answer={list}>
        {() =>
          transfer && (
            <div class="stack">
              <Funnel transfer={transfer} />
              <div class="filters flush">
                {ALL.map((one) => (
                  <Chip
                    key={one}
                    address={toggled(route, chosen, one)}
                    pressed={chosen.includes(one)}
                    status={KINDS[one].status}
                    count={transfer.counts[one] ?? 0}
                  >
                    {KINDS[one].name}
                  </Chip>
                ))}
                {storyId && (
                  <Chip address={withQuery(route, { storyId: null })} pressed>
                    {storyId}
                  </Chip>
                )}
              </div>
              {list.items.length === 0 ? (
                <Nothing transfer={transfer} chosen={chosen} />
              ) : (
                <section class="card" aria-label="Verdicts">
                  <table class="transfer">
                    <thead>
                      <tr>
                        <th scope="col">Requirement</th>
                        <th scope="col">What changed</th>
                        <th scope="col">Verdict</th>
                        <th scope="col">
                          <span class="hidden">Actions</span>
                        </th>
                      </tr>
                    </thead>
                    <tbody>
                      {list.items.map((item) => (
                        <ItemRow
                          key={item.storyId}
                          item={item}
                          revision={transfer.revision}
                          route={route}
                          tagged={chosen.length !== 1}
                          done={list.reload}
                        />
                      ))}
                    </tbody>
                  </table>
                  <More more={list.more} />
                </section>
              )}
            </div>
          )
        }
      </Load>
    </>
  );
}

function chosenOf({ query }: Route): Disposition[] {
  const named = (query.get('disposition') ?? '').split(',');
  return ALL.filter((one) => named.includes(one));
}

function toggled(route: Route, chosen: Disposition[], one: Disposition): string {
  const others = chosen.filter((other) => other !== one);
  const next = others.length < chosen.length ? others : [...chosen, one];
  return withQuery(route, { disposition: next.join(','), storyId: null, open: null });
}

function Nothing({ transfer: { counts }, chosen }: { transfer: Transfer; chosen: Disposition[] }) {
  const judged = (counts.total ?? 0) - (counts.missing ?? 0);
  if (judged === 0 && chosen.length === 0)
    return (
      <Empty title="Nobody has judged a requirement yet">
        <a class="button" href={href('transfer', [], { disposition: 'missing' })}>
          {counted(counts.missing ?? 0, 'requirement')} to judge
        </a>
      </Empty>
    );
  return <Empty title={chosen.length > 0 ? 'No verdict is so' : 'No verdict needs a person'} />;
}

function CarryAll({ count, done }: { count: number; done(): void }) {
  const may = useMay('POST /validation-transfer');
  const [asking, setAsking] = useState(false);
  const carry = useAction(async () => {
    await send({ mode: 'carry', storyIds: 'transferable' });
    setAsking(false);
    done();
  });
  if (!may) return null;
  const title = `Carry ${counted(count, 'verdict')}`;
  return (
    <>
      <button type="button" class="button primary" onClick={() => setAsking(true)}>
        {title}
      </button>
      {asking && (
        <Confirm
          title={title}
          action="Carry"
          busy={carry.busy}
          run={() => carry.run()}
          close={() => setAsking(false)}
        >
          <p>
            They were given on earlier revisions, and what they judged is the same today. Each is
            said again on this revision, with who judged and when.
          </p>
          <Refusal problem={carry.problem} />
        </Confirm>
      )}
    </>
  );
}

function BundleButton() {
  const { project } = useMe();
  const save = useAction(() =>
    download('/validation-transfer?format=bundle', `${project.slug}-validations.json`),
  );
  return (
    <>
      <button type="button" class="button" disabled={save.busy} onClick={() => save.run()}>
        <Icon name="download" /> Signed bundle
      </button>
      <Refusal problem={save.problem} />
    </>
  );
}
