// A verdict: the requirement, what changed since, what was said of it, and what can be done.
import { useState } from 'preact/hooks';
import { useAction } from '../../core/api.ts';
import { go, href, type Route, withQuery } from '../../core/route.ts';
import { useMay } from '../../frame/caller.ts';
import { Refusal } from '../../parts/states.tsx';
import { OutcomeIcon, StatusTag } from '../../parts/status.tsx';
import { StoryLink, WordDiff } from '../../parts/text.tsx';
import { type Item, KINDS, send } from './dispositions.ts';
import { StoryHistory } from './history.tsx';
import { Judge } from './judge.tsx';

interface ItemProps {
  item: Item;
  revision: number;
  route: Route;
  /** Whether it says what has become of it: where others stand beside it. */
  tagged: boolean;
  done(): void;
}

export function ItemRow({ item, revision, route, tagged, done }: ItemProps) {
  const { storyId, title, disposition, renamedTo } = item;
  const { status, name } = KINDS[disposition];
  const isOpen = route.query.get('open') === storyId;
  const close = () => go(withQuery(route, { open: null }), true);
  return (
    <>
      <tr data-story={storyId}>
        <td>
          <a class="strong" href={href('requirements', renamedTo ?? storyId)} data-row>
            {title ?? storyId}
          </a>
          <p class="line">
            <StoryLink id={storyId} />
            {renamedTo && (
              <>
                is <StoryLink id={renamedTo} />
              </>
            )}
          </p>
          {tagged && <StatusTag status={status}>{name}</StatusTag>}
        </td>
        <td>
          <Changed item={item} />
        </td>
        <td>
          <Verdict item={item} />
        </td>
        <td>
          <Actions item={item} revision={revision} isOpen={isOpen} route={route} done={done} />
        </td>
      </tr>
      {isOpen && (
        <tr class="opened">
          <td colSpan={4}>
            <div class="halves">
              <Judge item={item} done={done} close={close} />
              {item.validation && <StoryHistory storyId={storyId} />}
            </div>
          </td>
        </tr>
      )}
    </>
  );
}

type Texts = Pick<Item, 'was' | 'now'>;

function Changed({ item: { disposition, was, now, via, why } }: { item: Item }) {
  return (
    <>
      {was && <Difference was={was} now={now} />}
      {via && (
        <>
          <p class="small faint">
            <a class="link" href={href('requirements', via.storyId)}>
              {via.storyId}
            </a>{' '}
            {via.title}, which it rests on:
          </p>
          <Difference was={via.was} now={via.now} />
        </>
      )}
      {(disposition === 'ambiguous' || (!was && !via)) && <p class="second">{why}</p>}
    </>
  );
}

function Difference({ was, now }: Texts) {
  if (!was) return null;
  if (!now)
    return (
      <p>
        <del>{was.statement}</del>
      </p>
    );
  return (
    <>
      {was.title !== now.title && (
        <p class="strong">
          <WordDiff before={was.title} after={now.title} />
        </p>
      )}
      <p>
        <WordDiff before={was.statement} after={now.statement} />
      </p>
      {was.acceptance.join('\n') !== now.acceptance.join('\n') && (
        <p class="criteria">
          <WordDiff before={was.acceptance.join('\n')} after={now.acceptance.join('\n')} />
        </p>
      )}
    </>
  );
}

function Verdict({ item: { validation } }: { item: Item }) {
  if (!validation) return <span class="faint">none</span>;
  const { verdict, method, by, revision } = validation;
  return (
    <>
      <span class="line">
        <OutcomeIcon outcome={verdict} /> {verdict}, {method}
      </span>
      <span class="small faint">
        {by === 'system' ? 'by its tests' : (by.label ?? by.tokenId)}, revision {revision}
      </span>
    </>
  );
}

const CARRIED = ['transferable', 'restored', 'renamed'];
const DOUBTFUL = ['suspect', 'suspect_test'];

interface ActionsProps extends Omit<ItemProps, 'tagged'> {
  isOpen: boolean;
}

function Actions({ item, revision, isOpen, route, done }: ActionsProps) {
  const { storyId, disposition, validation } = item;
  const may = useMay('POST /validation-transfer');
  const [why, setWhy] = useState<string>();
  const acceptSuspect = DOUBTFUL.includes(disposition);
  const isSaidHere = disposition === 'transferable' && validation?.revision === revision;
  const isCarried = acceptSuspect || (CARRIED.includes(disposition) && !isSaidHere);
  const carry = useAction(async () => {
    const { items } = await send({ mode: 'carry', storyIds: [storyId], acceptSuspect });
    const refused = items.find(({ applied }) => !applied);
    setWhy(refused?.why);
    if (!refused) done();
  });
  const gone = ['orphaned', 'ambiguous', 'renamed'].includes(disposition);
  return (
    <div class="item-actions">
      {may && isCarried && (
        <button
          type="button"
          class="button compact"
          disabled={carry.busy}
          onClick={() => carry.run()}
        >
          {acceptSuspect ? 'Carry, knowing this' : 'Carry'}
        </button>
      )}
      <a
        class="button compact"
        href={withQuery(route, { open: isOpen ? null : storyId })}
        aria-expanded={isOpen}
      >
        {labelOf(may && !gone, validation !== null)}
      </a>
      {why && <p class="small second">{why}</p>}
      <Refusal problem={carry.problem} />
    </div>
  );
}

function labelOf(mayJudge: boolean, wasJudged: boolean): string {
  if (!mayJudge) return 'History';
  return wasJudged ? 'Judge again' : 'Judge';
}
