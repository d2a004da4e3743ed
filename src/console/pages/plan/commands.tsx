// The test commands: how each went of late, and since when one fails.
import { useList } from '../../core/api.ts';
import { commitName, duration, percent } from '../../core/format.ts';
import { href, type Route, withQuery } from '../../core/route.ts';
import { Strip } from '../../parts/charts.tsx';
import { Copyable } from '../../parts/copy.tsx';
import { Chip } from '../../parts/layout.tsx';
import { Empty, Load, More } from '../../parts/states.tsx';
import { OutcomeIcon } from '../../parts/status.tsx';
import { Time } from '../../parts/text.tsx';
import { askCommands, type Command, type Commands } from './ask.ts';

const STATES: Command['state'][] = ['active', 'quarantined', 'disabled', 'archived'];

export function CommandList({ route }: { route: Route }) {
  const state = STATES.find((one) => one === route.query.get('state'));
  const list = useList(
    (cursor, signal) =>
      askCommands<Commands>(
        { ...(state && { state: [state] }), ...(cursor && { cursor }) },
        signal,
      ),
    [state],
  );
  return (
    <>
      <div class="filters">
        {STATES.map((one) => (
          <Chip
            key={one}
            address={withQuery(route, { state: one === state ? null : one })}
            pressed={one === state}
          >
            {one}
          </Chip>
        ))}
      </div>
      <Load answer={list}>
        {() =>
          list.items.length === 0 ? (
            <NoCommand />
          ) : (
            <section class="card" aria-label="Commands">
              <table>
                <thead>
                  <tr>
                    <th scope="col">Command</th>
                    <th scope="col">Last runs</th>
                    <th scope="col">Fails since</th>
                    <th scope="col" class="number wide-only">
                      Passes
                    </th>
                    <th scope="col" class="number wide-only">
                      Time
                    </th>
                    <th scope="col" class="wide-only">
                      Last
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {list.items.map((command) => (
                    <CommandRow key={command.id} command={command} />
                  ))}
                </tbody>
              </table>
              <More more={list.more} />
            </section>
          )
        }
      </Load>
    </>
  );
}

function CommandRow({ command }: { command: Command }) {
  const { id, key, name, state, strip, failingSince, stats } = command;
  return (
    <tr>
      <td>
        <span class="line">
          <OutcomeIcon outcome={stats.lastStatus ?? 'never ran'} />
          <a class="strong" href={href('plan', id)} data-row>
            {key}
          </a>
          {name !== key && <span class="second wide-only">{name}</span>}
          {state !== 'active' && <span class="tag plain">{state}</span>}
        </span>
      </td>
      <td>
        <Strip outcomes={strip.slice(-12)} />
      </td>
      <td>
        <FailsSince since={failingSince} />
      </td>
      <td class="number wide-only">{percent(stats.passRate)}</td>
      <td class="number wide-only">{duration(stats.p50Ms)}</td>
      <td class="wide-only faint">
        <Time at={stats.lastAt} />
      </td>
    </tr>
  );
}

export function FailsSince({ since }: { since: Command['failingSince'] }) {
  if (!since) return <span class="faint">passes</span>;
  const { runId, commit, at } = since;
  return (
    <a class="link" href={href('runs', runId)}>
      <Time at={at} /> {commit && <span class="mono">{commitName(commit)}</span>}
    </a>
  );
}

function NoCommand() {
  return (
    <Empty title="There is no such command">
      <p>A command says how tests are run; agents run it, the server never does.</p>
      <Copyable text={'POST /api/test-commands\n{ "key": "unit", "argv": ["npm", "test"] }'} />
    </Empty>
  );
}
