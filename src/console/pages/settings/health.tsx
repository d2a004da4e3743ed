// Whether the service can do its work, check by check.
import type { Static } from '@sinclair/typebox';
import type { Readiness as ReadinessSchema } from '../../../operations/probes/readiness.ts';
import { type Answer, api, useAnswer } from '../../core/api.ts';
import { bytes, duration } from '../../core/format.ts';
import { useMe } from '../../frame/caller.ts';
import { Copyable } from '../../parts/copy.tsx';
import { Card } from '../../parts/layout.tsx';
import { Load } from '../../parts/states.tsx';
import { type Status, StatusIcon } from '../../parts/status.tsx';

type Readiness = Static<typeof ReadinessSchema>;
type Check = NonNullable<Readiness['checks']>[string][number];

const NAMES: Record<string, string> = {
  'database:write': 'The database takes writes',
  'database:migrations': 'The database is up to date',
  'files:write': 'The file store takes writes',
  'disk:free': 'Free disk',
  'service:draining': 'Not shutting down',
  'backup:age': 'Last backup',
  'backup:drill': 'Last backup that was restored as a test',
};

const STATUS: Record<Readiness['status'], Status> = {
  pass: 'passing',
  warn: 'suspect',
  fail: 'failing',
};

const SENTENCE: Record<Readiness['status'], string> = {
  pass: 'All is well',
  warn: 'It works, with a warning',
  fail: 'It cannot do its work',
};

/** What does not work is said by 503, with the checks all the same. */
async function askReady() {
  const reply = await api().ready.get();
  const value: unknown = reply.error?.value;
  const isAnswer = typeof value === 'object' && value !== null && 'checks' in value;
  return isAnswer ? { data: value, error: null, status: 200 } : reply;
}

export function Health() {
  const { caller } = useMe();
  const answer = useAnswer(askReady, []) as Answer<Readiness>;
  return (
    <Card title="Health" aside={answer.data?.version && `pqrs ${answer.data.version}`}>
      <Load answer={answer}>
        {({ status, checks = {} }) => (
          <>
            <p class="inside line" data-health={status}>
              <StatusIcon status={STATUS[status]} />
              <b class="strong">{SENTENCE[status]}</b>
            </p>
            {Object.entries(checks).flatMap(([name, all]) =>
              all.map((check, index) => (
                <div key={`${name} ${index}`} class="row">
                  <StatusIcon status={STATUS[check.status]} />
                  <span class="grow">{NAMES[name] ?? name}</span>
                  <span class="second small number">{figureOf(check)}</span>
                </div>
              )),
            )}
          </>
        )}
      </Load>
      {caller.instance && (
        <div class="inside stack">
          <p class="small second">Metrics, for Prometheus:</p>
          <Copyable text={`curl -H "Authorization: Bearer $TOKEN" ${location.origin}/metrics`} />
        </div>
      )}
    </Card>
  );
}

function figureOf({ output, observedValue, observedUnit }: Check): string {
  if (output) return output;
  if (typeof observedValue !== 'number') return `${observedValue ?? ''}`;
  if (observedUnit === 'bytes') return bytes(observedValue);
  if (observedUnit === 'ms' && observedValue >= 1000) return duration(observedValue);
  return `${observedValue} ${observedUnit ?? ''}`;
}
