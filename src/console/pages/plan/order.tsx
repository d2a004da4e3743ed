// The commands of a plan in their order: why each stands where it does, what it costs, and where the
// budget ends.
import { useState } from 'preact/hooks';
import { useAnswer } from '../../core/api.ts';
import { duration } from '../../core/format.ts';
import { href } from '../../core/route.ts';
import { Strip } from '../../parts/charts.tsx';
import { More } from '../../parts/states.tsx';
import { StoryLink } from '../../parts/text.tsx';
import { askCommands, type Command, type Commands, type Draft, type PlanItem } from './ask.ts';

/** As many are shown, and asked about, at once. */
const CHUNK = 50;
const STORIES_SHOWN = 30;

interface OrderProps {
  draft: Draft;
  budgetMs: number | undefined;
}

export function Order({ draft: { items, estimateMs }, budgetMs }: OrderProps) {
  const [chunks, setChunks] = useState(1);
  let endMs = 0;
  const placed = items.map((item) => {
    if (!item.cut) endMs += item.estimateMs;
    return { item, endMs };
  });
  const shown = Array.from({ length: chunks }, (_, at) =>
    placed.slice(at * CHUNK, (at + 1) * CHUNK),
  );
  const more = chunks * CHUNK < items.length ? () => setChunks(chunks + 1) : undefined;
  const cutFrom = items.find(({ cut }) => cut)?.position;
  const cutLine =
    budgetMs !== undefined &&
    `The budget of ${duration(budgetMs)} ends here, after ${duration(estimateMs)}: what follows waits for the next plan.`;
  return (
    <section class="card" aria-label="Order">
      <table class="order">
        <thead>
          <tr>
            <th scope="col">#</th>
            <th scope="col">Command, and why it stands here</th>
            <th scope="col" class="wide-only">
              Last runs
            </th>
            <th scope="col" class="number">
              Time
            </th>
            <th scope="col" class="number wide-only">
              Ends after
            </th>
          </tr>
        </thead>
        {shown.map((chunk, at) => (
          <Chunk key={at} placed={chunk} cutLine={cutLine} cutFrom={cutFrom} />
        ))}
      </table>
      <More more={more} />
    </section>
  );
}

interface Placed {
  item: PlanItem;
  endMs: number;
}

interface ChunkProps {
  placed: Placed[];
  cutLine: string | false;
  /** The place of the first that the budget cuts. */
  cutFrom: number | undefined;
}

function Chunk({ placed, cutLine, cutFrom }: ChunkProps) {
  const keys = placed.map(({ item }) => item.key);
  const { data } = useAnswer(
    (signal) => askCommands<Commands>({ key: keys, limit: CHUNK }, signal),
    [keys.join('\n')],
  );
  const commands = new Map(data?.items.map((command) => [command.id, command]));
  return (
    <tbody>
      {placed.flatMap(({ item, endMs }) => [
        cutLine && item.position === cutFrom && (
          <tr key="cut" class="cut-line">
            <td colSpan={5}>{cutLine}</td>
          </tr>
        ),
        <ItemRow
          key={item.commandId}
          item={item}
          endMs={endMs}
          command={commands.get(item.commandId)}
        />,
      ])}
    </tbody>
  );
}

function ItemRow({ item, endMs, command }: Placed & { command: Command | undefined }) {
  const { position, commandId, key, reasons, storyIds, estimateMs, cut } = item;
  const own = reasons.filter(({ code }) => code !== 'first_cover');
  return (
    <tr class={cut ? 'is-cut' : ''} data-command={key}>
      <td class="number faint">{position}</td>
      <td>
        <a class="strong" href={href('plan', commandId)} data-row>
          {key}
        </a>
        <p class="second small">
          {(own.length > 0 ? own : reasons).map(({ detail }) => detail).join(' ')}
        </p>
        {storyIds.length > 0 && (
          <details class="small">
            <summary>covers {storyIds.length}</summary>
            <span class="line">
              {storyIds.slice(0, STORIES_SHOWN).map((id) => (
                <StoryLink key={id} id={id} />
              ))}
              {storyIds.length > STORIES_SHOWN && `and ${storyIds.length - STORIES_SHOWN} more`}
            </span>
          </details>
        )}
      </td>
      <td class="wide-only">{command && <Strip outcomes={command.strip.slice(-10)} />}</td>
      <td class="number">{duration(estimateMs)}</td>
      <td class="number faint wide-only">{cut ? 'cut' : duration(endMs)}</td>
    </tr>
  );
}
