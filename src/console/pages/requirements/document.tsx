// A document as it is read, from its first item to its last, page by page.
import { Component, type ComponentChildren } from 'preact';
import type { DocumentPage } from '../../../assurance/graph/model.ts';
import { counted, grouped } from '../../core/format.ts';
import { href } from '../../core/route.ts';
import { OutcomeIcon, SeverityIcon, STATUSES, StatusIcon, StatusTag } from '../../parts/status.tsx';
import { WordDiff } from '../../parts/text.tsx';
import type { DocumentItem, Documents, Overlay } from './answers.ts';

interface DocumentProps {
  page: DocumentPage;
  /** Its figures in the list of documents. */
  entry: Documents[number] | undefined;
  selected: string | undefined;
  /** What stands in the place of the selected item. */
  editor: ComponentChildren;
}

export function Document({ page: { before, items, nextCursor }, entry, ...rest }: DocumentProps) {
  const [first, last] = [items[0], items.at(-1)];
  const pages = before > 0 || nextCursor !== null;
  return (
    <div class="document">
      <h2>{entry?.title ?? 'In no document'}</h2>
      {entry && <Figures entry={entry} />}
      {pages && first && (
        <p class="faint small">
          {grouped(before + 1)} to {grouped(before + items.length)} of its items.{' '}
          {before > 0 && (
            <a class="link" href={around(first, entry)}>
              Earlier ones
            </a>
          )}
        </p>
      )}
      {items.map((item) => (
        <Item key={item.node.id} item={item} {...chosen(item, rest)} />
      ))}
      {nextCursor !== null && last && (
        <a class="button more" href={around(last, entry)} data-row>
          Further ones
        </a>
      )}
    </div>
  );
}

function chosen(
  { node }: DocumentItem,
  { selected, editor }: Pick<DocumentProps, 'selected' | 'editor'>,
) {
  return node.id === selected ? { isSelected: true, editor } : { isSelected: false };
}

function around({ node }: DocumentItem, entry: DocumentProps['entry']): string {
  return href('requirements', entry?.id ?? [], { at: node.id });
}

function Figures({ entry: { id, path, requirements, statuses } }: { entry: Documents[number] }) {
  return (
    <p class="figures">
      {counted(requirements, 'requirement')}
      {STATUSES.filter((status) => statuses[status]).map((status) => (
        <a key={status} href={href('matrix', [], { root: id, status })}>
          <StatusIcon status={status} size="small" /> {statuses[status]} {status}
        </a>
      ))}
      {path && <span class="mono">{path}</span>}
    </p>
  );
}

interface ItemProps {
  item: DocumentItem;
  isSelected: boolean;
  editor?: ComponentChildren;
}

/** Of those that stand there only the one that is edited is drawn anew with each key. */
class Item extends Component<ItemProps> {
  override shouldComponentUpdate({ item, isSelected, editor }: ItemProps) {
    const { props } = this;
    return item !== props.item || isSelected !== props.isSelected || editor !== props.editor;
  }
  render(props: ItemProps) {
    const { kind } = props.item.node;
    if (kind === 'document' || kind === 'section') return <Part {...props} />;
    return <Requirement {...props} />;
  }
}

function Part({ item: { node, depth }, isSelected }: ItemProps) {
  const { id, kind, title, statement } = node;
  if (kind === 'document') return statement ? <p class="statement">{statement}</p> : null;
  // A text that stands between requirements is its own title.
  const isText = title === statement;
  return (
    <div class="part" id={`item-${id}`} aria-current={isSelected ? 'true' : undefined}>
      {!isText && <h3 class={`level-${Math.min(depth, 3)}`}>{title}</h3>}
      {statement && <p class={isText ? 'faint small' : 'statement'}>{statement}</p>}
    </div>
  );
}

function Requirement({ item, isSelected, editor }: ItemProps) {
  const { id, title, acceptance } = item.node;
  return (
    <article
      class={`requirement ${editor ? 'edited' : ''}`}
      id={`item-${id}`}
      aria-current={isSelected ? 'true' : undefined}
    >
      <div class="said">
        <h3>
          {item.status && <StatusIcon status={item.status} />}
          <a href={href('requirements', id)} data-row>
            {title || id}
          </a>
          <span class="mono faint">{id}</span>
        </h3>
        {editor ?? (
          <>
            <Statement item={item} />
            {acceptance.length > 0 && (
              <ul class="criteria">
                {acceptance.map((text, at) => (
                  <li key={at}>{text}</li>
                ))}
              </ul>
            )}
            <Notes item={item} />
          </>
        )}
      </div>
      {!editor && <Margin item={item} />}
    </article>
  );
}

function inForce(overlays: readonly Overlay[]) {
  return overlays.findLast((one) => one.overlay === 'edit' && one.state === 'accepted');
}

/** The text, and what an edit in force has made other than the sources say. */
function Statement({ item: { node, overlays } }: { item: DocumentItem }) {
  const edit = inForce(overlays);
  const before = edit?.overlay === 'edit' ? edit.base.statement : undefined;
  return (
    <p class="statement">
      {before === undefined ? node.statement : <WordDiff before={before} after={node.statement} />}
    </p>
  );
}

const NOTED = 2;

function Notes({ item: { node, overlays, findings } }: { item: DocumentItem }) {
  return (
    <>
      {overlays.map((one) => (
        <p key={one.id} class="note">
          {one.overlay === 'edit' ? 'Edit' : 'Addition'} by {one.author.label ?? 'somebody'},{' '}
          {one.state === 'accepted' || one.state === 'active'
            ? 'not in the sources yet'
            : one.state}
          {one.reason && `: ${one.reason}`}
        </p>
      ))}
      {findings.slice(0, NOTED).map(({ code, severity, detail, line, path }) => (
        <p key={`${code} ${detail}`} class="note">
          <SeverityIcon severity={severity} size="small" />
          <span>
            {detail}{' '}
            <a class="link" href={href('sources', [], { path })}>
              {line ? `line ${line}` : 'its source'}
            </a>
          </span>
        </p>
      ))}
      {findings.length > NOTED && (
        <p class="note">
          <a class="link" href={href('sources', [], { path: node.source.path })}>
            {counted(findings.length - NOTED, 'finding')} more
          </a>
        </p>
      )}
    </>
  );
}

const NAMED = 3;

/** Where it stands, what tests it, what it rests on: each leads to what it counts. */
function Margin({ item }: { item: DocumentItem }) {
  const { node, status, inherited, tests, up, down, issues } = item;
  const ran = Object.entries(tests).filter(([, count]) => count > 0);
  const total = ran.reduce((sum, [, count]) => sum + count, 0);
  return (
    <div class="margin">
      {status && (
        <StatusTag status={status}>{inherited ? `${status}, by its parts` : status}</StatusTag>
      )}
      {total > 0 ? (
        <a href={href('requirements', node.id)}>
          {counted(total, 'test')}
          {ran.map(([outcome, count]) => (
            <span key={outcome}>
              {' '}
              <OutcomeIcon outcome={outcome === 'notRun' ? 'not run' : outcome} size="small" />
              {ran.length > 1 && ` ${count}`}
            </span>
          ))}
        </a>
      ) : (
        <span class="faint">no test</span>
      )}
      {up.slice(0, NAMED).map(({ type, id, status: link }) => (
        <span key={`${type} ${id}`} class="cut">
          {type}{' '}
          {link === 'dangling' ? (
            <span class="mono">
              <StatusIcon status="failing" size="small" /> {id}, in no source
            </span>
          ) : (
            <a class="link" href={href('requirements', id)}>
              {id}
            </a>
          )}
        </span>
      ))}
      {up.length > NAMED && (
        <a class="link" href={href('graph', node.id)}>
          {up.length - NAMED} more
        </a>
      )}
      {down > 0 && (
        <a class="link" href={href('graph', node.id)}>
          linked to by {down}
        </a>
      )}
      {issues.slice(0, NAMED).map(({ id, number }) => (
        <a key={id} class="link" href={href('issues', id)}>
          issue #{number}
        </a>
      ))}
    </div>
  );
}
