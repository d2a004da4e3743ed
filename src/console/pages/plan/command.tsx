// One test command: what it runs, how it went, what it covers.
import { useAnswer } from '../../core/api.ts';
import { counted, duration, minute, percent } from '../../core/format.ts';
import { href } from '../../core/route.ts';
import { Strip } from '../../parts/charts.tsx';
import { Copyable } from '../../parts/copy.tsx';
import { Card, PageHead } from '../../parts/layout.tsx';
import { Load } from '../../parts/states.tsx';
import { OutcomeIcon } from '../../parts/status.tsx';
import { StoryLink, Time } from '../../parts/text.tsx';
import { askCommands, type Command } from './ask.ts';
import { FailsSince } from './commands.tsx';

export function OneCommand({ id }: { id: string }) {
  const answer = useAnswer((signal) => askCommands<Command>({ id }, signal), [id]);
  const { data } = answer;
  return (
    <>
      <PageHead
        title={data?.key ?? 'Command'}
        parent={{ title: 'Commands', address: href('plan', [], { view: 'commands' }) }}
        sub={data && data.name !== data.key && data.name}
      >
        <a class="button" href={href('runs', [], { commandId: id })}>
          Its runs
        </a>
      </PageHead>
      <Load answer={answer}>{(command) => <Shown command={command} />}</Load>
    </>
  );
}

const STORIES_SHOWN = 60;

function Shown({ command }: { command: Command }) {
  const { stats, strip, failingSince, quarantine, storyIds, routes, tags } = command;
  return (
    <div class="columns">
      <div class="stack">
        <Card title="What it runs">
          <div class="inside stack">
            {command.argv.length > 0 && <Copyable text={command.argv.map(quoted).join(' ')} />}
            <dl class="fields">
              {fieldsOf(command).map(([name, value]) => (
                <div key={name} class="field">
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
          </div>
        </Card>
        {storyIds.length + routes.length + tags.length > 0 && (
          <Card title="What it says it covers">
            <p class="inside line">
              {storyIds.slice(0, STORIES_SHOWN).map((one) => (
                <StoryLink key={one} id={one} />
              ))}
              {storyIds.length > STORIES_SHOWN && `and ${storyIds.length - STORIES_SHOWN} more`}
              {[...routes, ...tags].map((one) => (
                <span key={one} class="tag plain">
                  {one}
                </span>
              ))}
            </p>
          </Card>
        )}
      </div>
      <Card title="How it went">
        <div class="inside stack">
          <p class="line">
            <OutcomeIcon outcome={stats.lastStatus ?? 'never ran'} />
            {stats.lastRunId ? (
              <a class="link" href={href('runs', stats.lastRunId)}>
                {stats.lastStatus}, <Time at={stats.lastAt} />
              </a>
            ) : (
              'never ran'
            )}
          </p>
          <Strip outcomes={strip} />
          {failingSince && (
            <p>
              Fails since <FailsSince since={failingSince} />
            </p>
          )}
          <p class="second">
            {counted(stats.runs, 'run')}: {percent(stats.passRate)} passed,{' '}
            {percent(stats.flakeRate)} flaky
            {stats.p50Ms !== null &&
              `; ${duration(stats.p50Ms)} as a rule, ${duration(stats.p95Ms)} at worst`}
            .
          </p>
          {quarantine && (
            <p class="alert suspect">
              {quarantine.owner} has set it aside until {minute(quarantine.until)} UTC:{' '}
              {quarantine.reason}
            </p>
          )}
        </div>
      </Card>
    </div>
  );
}

function fieldsOf(command: Command): [string, string][] {
  const { kind, state, cwd, timeoutMs, report, env, credentials, maxAttempts } = command;
  const fields: [string, string | null][] = [
    ['Kind', kind],
    ['State', state],
    ['Folder', cwd],
    ['Time limit', duration(timeoutMs)],
    [
      'Report',
      report.format === 'none' ? null : `${report.format}, ${report.path ?? 'its output'}`,
    ],
    ['Attempts', `${maxAttempts}`],
    ['Variables', Object.keys(env).join(', ')],
    ['Credentials', credentials.join(', ')],
  ];
  return fields.flatMap(([name, value]): [string, string][] => (value ? [[name, value]] : []));
}

function quoted(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}
