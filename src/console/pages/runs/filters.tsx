// What narrows runs down: fields whose values the listed runs suggest, and what else stands in the address.
import { go, type Route, withQuery } from '../../core/route.ts';
import { PLACE_FILTERS, RUN_FILTERS, type RunSummary } from './ask.ts';

interface RunFiltersProps {
  route: Route;
  /** Whose values are suggested. */
  runs?: readonly RunSummary[];
}

type Place = (typeof PLACE_FILTERS)[number];

export function RunFilters({ route, runs = [] }: RunFiltersProps) {
  const narrow = (name: string, value: string | null) =>
    go(withQuery(route, { [name]: value, cursor: null }));
  const others = RUN_FILTERS.filter((name) => !PLACE_FILTERS.includes(name as Place));
  return (
    <>
      {PLACE_FILTERS.map((name) => (
        <PlaceField
          key={`${name} ${route.query.get(name)}`}
          name={name}
          value={route.query.get(name) ?? ''}
          known={[...new Set(runs.flatMap((run) => placeOf(run, name) ?? []))].sort()}
          choose={(value) => narrow(name, value)}
        />
      ))}
      {others.map((name) => {
        const value = route.query.get(name);
        return (
          value && (
            <button key={name} type="button" class="chip" onClick={() => narrow(name, null)}>
              {name.replace('Id', '')} <span class="mono cut">{value}</span> ×
              <span class="hidden">: show all</span>
            </button>
          )
        );
      })}
    </>
  );
}

interface PlaceFieldProps {
  name: Place;
  value: string;
  known: string[];
  choose(value: string): void;
}

function PlaceField({ name, value, known, choose }: PlaceFieldProps) {
  return (
    <>
      <input
        class="input filter"
        type="search"
        list={`known-${name}`}
        defaultValue={value}
        placeholder={`${name[0]?.toUpperCase()}${name.slice(1)}`}
        aria-label={name}
        onChange={(event) => choose(event.currentTarget.value.trim())}
      />
      <datalist id={`known-${name}`}>
        {known.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </>
  );
}

function placeOf(run: RunSummary, name: Place): string | null | undefined {
  return name === 'agent' ? run.agent?.name : run[name];
}
