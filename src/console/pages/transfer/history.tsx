// The verdicts on a story, the newest first.
import { useList } from '../../core/api.ts';
import { words } from '../../core/format.ts';
import { Load, More } from '../../parts/states.tsx';
import { OutcomeIcon } from '../../parts/status.tsx';
import { Time } from '../../parts/text.tsx';
import { askTransfer, type History } from './dispositions.ts';

export function StoryHistory({ storyId }: { storyId: string }) {
  const list = useList(
    (cursor, signal) =>
      askTransfer<History>(
        { view: 'history', storyId: [storyId], ...(cursor && { cursor }) },
        signal,
      ),
    [storyId],
  );
  return (
    <section>
      <h2>Verdicts so far</h2>
      <Load answer={list}>
        {() => (
          <ol class="verdict-history">
            {list.items.map(
              ({ id, verdict, by, method, at, evidence, note, revision, transferredFrom }) => (
                <li key={id}>
                  <span class="line">
                    <OutcomeIcon outcome={verdict} />
                    <b class="strong">{verdict}</b> by{' '}
                    {by === 'system' ? 'its tests' : (by.label ?? by.tokenId)}, {words(method)},{' '}
                    <Time at={at} />
                  </span>
                  {evidence && <p>{evidence}</p>}
                  {note && <p class="second">{note}</p>}
                  <p class="small faint">
                    on revision {revision}
                    {transferredFrom && ', carried from an earlier one'}
                  </p>
                </li>
              ),
            )}
          </ol>
        )}
      </Load>
      <More more={list.more} />
    </section>
  );
}
