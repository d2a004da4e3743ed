// How the dispositions add up, as a sentence, a bar and a sum.
import { counted, grouped } from '../../core/format.ts';
import { href } from '../../core/route.ts';
import { ALL, KINDS, type Transfer } from './dispositions.ts';

/** Shares below this have no room for a name, but on narrow screens, where each has a line. */
const NAMED = 0.09;
/** No part is drawn smaller than this share of the whole. */
const LEAST = 0.035;

export function Funnel({ transfer: { counts } }: { transfer: Transfer }) {
  const countOf = (one: string) => counts[one] ?? 0;
  const { total = 0, missing = 0 } = counts;
  const judged = total - missing;
  const hold = countOf('transferable') + countOf('restored');
  const look = countOf('invalidated') + countOf('suspect') + countOf('suspect_test');
  const shown = ALL.filter((one) => countOf(one) > 0);
  const parts = shown.filter((one) => one !== 'missing');
  if (total === 0) return null;
  return (
    <section class="card transfer-sum" aria-label="Dispositions">
      <p class="answer">
        <b>
          {grouped(hold)} of {counted(judged, 'verdict')} still {hold === 1 ? 'holds' : 'hold'}.
        </b>{' '}
        <span class="second">
          {look > 0 && `${grouped(look)} ${look === 1 ? 'has' : 'have'} to be looked at again. `}
          {countOf('renamed') > 0 && `${countOf('renamed')} moved with the requirement. `}
          {grouped(missing)} of {counted(total, 'requirement')} were never judged.
        </span>
      </p>
      <div class="funnel">
        {shown.map((one) => {
          const { status, name, means } = KINDS[one];
          const count = countOf(one);
          return (
            <a
              key={one}
              class={`${status} ${one}`}
              href={href('transfer', [], { disposition: one })}
              style={{ flexGrow: Math.max(count, total * LEAST) }}
              title={`${count} ${name}: ${means}`}
            >
              <b>{grouped(count)}</b>{' '}
              <span class={count < total * NAMED ? 'narrow-only' : ''}>{name}</span>
            </a>
          );
        })}
      </div>
      <p class="small faint" data-sum>
        {parts.map((one) => countOf(one)).join(' + ') || 0} = {judged} judged; with {missing} never
        judged {total} in all.
      </p>
    </section>
  );
}
