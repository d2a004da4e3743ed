import { type ComponentChildren, Fragment } from 'preact';

/** Names with what they stand for; those without a value are left out. */
export function Fields({ fields }: { fields: readonly [string, ComponentChildren][] }) {
  return (
    <dl class="fields">
      {fields
        .filter(([, value]) => value)
        .map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
    </dl>
  );
}
