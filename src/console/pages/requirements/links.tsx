// What a requirement is linked to, either way, and where it comes from.
import { words } from '../../core/format.ts';
import { href } from '../../core/route.ts';
import { useMay } from '../../frame/caller.ts';
import { SeverityIcon, StatusIcon, StatusTag } from '../../parts/status.tsx';
import { StoryLink } from '../../parts/text.tsx';
import type { Story } from './answers.ts';
import { Part } from './panel-part.tsx';

const SHOWN = 12;

export function Links({ story }: { story: Story }) {
  const { outgoing, incoming } = story.links;
  const links = [
    ...outgoing.map((link) => ({ ...link, as: link.type as string })),
    ...incoming
      .filter(({ type }) => type !== 'contains')
      .map((link) => ({ ...link, as: `${link.type.replace(/s$/, '')} of` })),
  ];
  const others = story.coverage?.traces.filter(({ type }) => type !== 'verifies') ?? [];
  const mayFile = useMay('POST /issues');
  return (
    <Part title="Links" count={links.length + others.length + story.openIssues.length}>
      {links.slice(0, SHOWN).map(({ as, id, title, status }) => (
        <p key={`${as} ${id}`} class="line small">
          <span class="faint">{INCOMING[as] ?? as}</span>
          {status === 'dangling' ? (
            <span class="mono">
              <StatusIcon status="failing" size="small" /> {id}, in no source
            </span>
          ) : (
            <>
              <StoryLink id={id} />
              <span class="cut">{title}</span>
              {status === 'suspect' && <StatusTag status="suspect" />}
            </>
          )}
        </p>
      ))}
      {links.length > SHOWN && (
        <a class="link small" href={href('graph', story.id)}>
          and {links.length - SHOWN} more
        </a>
      )}
      {others.slice(0, SHOWN).map(({ type, target, state }) => (
        <p key={`${type} ${target.id}`} class="line small">
          <span class="faint">{type}</span>
          <span class="mono cut">{target.id}</span>
          {state !== 'valid' && <span class="tag suspect">{state}</span>}
        </p>
      ))}
      {story.openIssues.slice(0, SHOWN).map(({ id, number, title, severity, status }) => (
        <p key={id} class="line small">
          <SeverityIcon severity={severity} size="small" />
          <a class="link cut" href={href('issues', id)}>
            #{number} {title}
          </a>
          <span class="faint">{words(status)}</span>
        </p>
      ))}
      {mayFile && (
        <a class="button compact" href={href('issues', 'new', { storyIds: story.id })}>
          File an issue
        </a>
      )}
    </Part>
  );
}

/** A link as the story says it to which it leads. */
const INCOMING: Record<string, string> = {
  'refine of': 'refined by',
  'derive of': 'derived from it',
  'depend of': 'depended on by',
  'verifie of': 'verified by',
  'satisfie of': 'satisfied by',
  'conflict of': 'conflicts with',
  'relate of': 'related to',
};

export function Source({
  story: { source, kind, status, priority, tags, attributes, rationale },
}: {
  story: Story;
}) {
  const named = Object.entries(attributes).filter(([name]) => name !== 'node_type');
  const fields: [string, unknown][] = [
    ['Kind', kind],
    ['Status', status],
    ['Priority', priority],
    ['Tags', tags.join(', ')],
    ['Rationale', rationale],
    ...named,
  ];
  return (
    <Part title="Source">
      {source.path && (
        <a class="link mono small" href={href('sources', [], { path: source.path })}>
          {source.path}:{source.line}
        </a>
      )}
      <dl class="fields">
        {fields
          .filter(([, value]) => value !== null && value !== '')
          .map(([name, value]) => (
            <div key={name}>
              <dt>{words(name.toLowerCase())}</dt>
              <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
            </div>
          ))}
      </dl>
    </Part>
  );
}
