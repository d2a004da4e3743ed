// Where the requirements stood at the end of each of the newest days.
import { api, useAnswer } from '../../core/api.ts';
import { day } from '../../core/format.ts';
import { StackedBars } from '../../parts/charts.tsx';
import { Card } from '../../parts/layout.tsx';
import { Load } from '../../parts/states.tsx';
import { STATUSES } from '../../parts/status.tsx';

const DAYS = 30;
/** From the ground up: what is well lies below, what is not stands out at the top. */
const UPWARDS = STATUSES.toReversed();

export function Trend() {
  const answer = useAnswer(
    () =>
      api()['project-traceability'].get({ query: { view: 'statuses', by: 'day', limit: DAYS } }),
    [],
  );
  return (
    <Card title={`Requirements, the newest ${DAYS} days`}>
      <Load answer={answer}>
        {(data) => {
          const { items } = data as Extract<typeof data, { items: { statuses: unknown }[] }>;
          const bars = items.toReversed().map((point) => ({
            name: day(point.at),
            parts: UPWARDS.map((name) => ({ name, colour: name, value: point.statuses[name] })),
          }));
          return (
            <div class="inside">
              <StackedBars title="Requirements by status and day" bars={bars} />
            </div>
          );
        }}
      </Load>
    </Card>
  );
}
