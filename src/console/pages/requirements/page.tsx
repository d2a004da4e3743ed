// Requirements as documents: which there are, the text, and beside it one requirement.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { DocumentPage } from '../../../assurance/graph/model.ts';
import type { Impact } from '../../../assurance/impact/impact.ts';
import type { Answer } from '../../core/api.ts';
import { counted } from '../../core/format.ts';
import { useKeys, useRowKeys } from '../../core/keys.ts';
import { go, href, type PageProps } from '../../core/route.ts';
import { useMay, useMe } from '../../frame/caller.ts';
import { Copyable } from '../../parts/copy.tsx';
import { PageHead } from '../../parts/layout.tsx';
import { Empty, Load } from '../../parts/states.tsx';
import { STATUSES, StatusIcon } from '../../parts/status.tsx';

import { AdditionForm } from './addition.tsx';
import { type Documents, useDocument, useStory, useTree } from './answers.ts';
import { Document } from './document.tsx';
import type { Editing } from './editing.ts';
import { Editor } from './editor.tsx';
import { ImpactPanel } from './impact.tsx';
import { Overlays } from './overlays.tsx';
import { Panel } from './panel.tsx';
import { addressOfDocument, Tree } from './tree.tsx';

export function Page({ route }: PageProps) {
  return route.query.get('view') === 'overlays' ? (
    <Overlays route={route} />
  ) : (
    <Requirements route={route} />
  );
}

function Requirements({ route: { rest, query } }: PageProps) {
  const [id] = rest;
  const tree = useTree();
  const documents = tree.data?.documents ?? [];
  const first = documents.find(({ requirements }) => requirements > 0) ?? documents[0];
  const wanted = query.get('at') ?? id ?? (query.has('outside') ? '' : first && (first.id ?? ''));
  const page = usePageAround(wanted, query.has('at'));
  const shown = page.data?.document;
  const entry = documents.find((one) => one.id === shown);
  const node = page.data?.items.find((item) => item.node.id === id)?.node;
  const selected = node?.kind === 'requirement' || node?.kind === 'story' ? node.id : undefined;
  const story = useStory(selected);
  const [note, setNote] = useState<{ of: string; text: string }>();
  const [editing, setEditing] = useState<Editing>();
  const mayEdit = useMay('POST /story-edits');
  const mayAdd = useMay('POST /story-additions');
  const isEditing = mayEdit && query.has('edit') && selected !== undefined;
  const isAdding = mayAdd && query.has('add');
  const back = addressOfDocument(shown ?? null);

  const leave = () => go(href('requirements', selected ?? []));
  const reload = () => {
    for (const answer of [tree, page, story]) answer.reload();
  };
  const changed = (of: string, text: string) => {
    setNote({ of, text });
    reload();
    go(href('requirements', of));
  };
  const removed = () => {
    reload();
    go(back, true);
  };
  const moveBy = (step: number) => {
    const at = documents.findIndex((one) => one.id === shown);
    const next = documents[at + step];
    if (at >= 0 && next) go(addressOfDocument(next.id));
  };
  useRowKeys();
  useKeys({
    '[': () => moveBy(-1),
    ']': () => moveBy(1),
    e: () => selected && mayEdit && go(href('requirements', selected, { edit: 1 })),
    Escape: () => (isEditing || query.has('do')) && leave(),
  });
  useScrollTo(selected, page.data);
  useFocusAfter(isEditing, selected);

  const editor = isEditing && story.data && (
    <Editor
      key={selected}
      story={story.data}
      reload={story.reload}
      saved={(state, impact) => changed(selected, savedText(state, impact))}
      leave={leave}
      publish={setEditing}
    />
  );
  const panel = () => {
    if (isAdding)
      return (
        <AdditionForm
          key={shown}
          parentId={shown ?? null}
          back={back}
          added={(of, state) => changed(of, state === 'active' ? 'Added.' : WAITS)}
        />
      );
    if (selected === undefined) return <Choose entry={entry} />;
    if (isEditing)
      return (
        <Load answer={story}>
          {(data) => editing && <ImpactPanel editing={editing} story={data} />}
        </Load>
      );
    return (
      <Panel
        key={selected}
        id={selected}
        story={story}
        back={back}
        open={query.get('do')}
        note={note?.of === selected ? note.text : undefined}
        changed={(text) => changed(selected, text)}
        removed={removed}
      />
    );
  };
  return (
    <>
      <PageHead title="Requirements" sub={tree.data && figuresOf(documents)}>
        <a class="button" href={href('requirements', [], { view: 'overlays' })}>
          Edits
        </a>
        {mayAdd && (
          <a class="button" href={href('requirements', shown ?? [], { add: 1 })}>
            Add requirement
          </a>
        )}
      </PageHead>
      {tree.data && documents.length === 0 && !isAdding ? (
        <Nothing />
      ) : (
        <div
          class={`requirements ${selected || isAdding ? 'with-panel' : ''} ${editor ? 'editing' : ''}`}
        >
          <div class="tree-column">
            <Load answer={tree}>{() => <Tree documents={documents} current={shown} />}</Load>
          </div>
          <div class="text-column">
            <Load answer={page}>
              {(data) => (
                <Document page={data} entry={entry} selected={id} editor={editor || undefined} />
              )}
            </Load>
          </div>
          <section class="panel" aria-label={selected ?? 'Requirement'}>
            {panel()}
          </section>
        </div>
      )}
    </>
  );
}

/** The page that holds a node: the one that is there where it does, unless it is to begin elsewhere. */
function usePageAround(wanted: string | undefined, exactly: boolean): Answer<DocumentPage> {
  const around = useRef<string | undefined>(undefined);
  const held = useRef<ReadonlySet<string>>(new Set());
  if (wanted !== undefined && (exactly || !held.current.has(wanted))) around.current = wanted;
  const page = useDocument(around.current);
  held.current = useMemo(() => new Set(page.data?.items.map(({ node }) => node.id)), [page.data]);
  return page;
}

/** Brings what is chosen into view, in the middle where the page is a new one. */
function useScrollTo(id: string | undefined, page: DocumentPage | undefined): void {
  const before = useRef<DocumentPage | undefined>(undefined);
  useEffect(() => {
    const isNew = before.current?.document !== page?.document;
    before.current = page;
    if (id === undefined) {
      if (isNew) document.querySelector('.text-column')?.scrollTo(0, 0);
      return;
    }
    const item = document.getElementById(`item-${id}`);
    // On a small screen the panel lies over the lower half.
    const isSmall = matchMedia('(max-width: 760px)').matches;
    item?.scrollIntoView({ block: isSmall ? 'start' : isNew ? 'center' : 'nearest' });
  }, [id, page]);
}

/** Gives the focus to what was edited, once its form is gone. */
function useFocusAfter(isEditing: boolean, id: string | undefined): void {
  const was = useRef(isEditing);
  useEffect(() => {
    if (was.current && !isEditing)
      document.getElementById(`item-${id}`)?.querySelector<HTMLElement>('[data-row]')?.focus();
    was.current = isEditing;
  }, [isEditing, id]);
}

const WAITS = 'Saved. It waits for a decision.';

function savedText(state: string, { validations, traces }: Impact): string {
  if (state !== 'accepted') return WAITS;
  const verdicts = counted(validations.length, 'verdict waits', 'verdicts wait');
  const links = counted(traces.length, 'link waits', 'links wait');
  return `Saved. ${verdicts} and ${links} for another look.`;
}

function figuresOf(documents: Documents): string {
  const total = documents.reduce((sum, { requirements }) => sum + requirements, 0);
  return `${counted(total, 'requirement')} in ${counted(documents.length, 'document')}`;
}

function Choose({ entry }: { entry: Documents[number] | undefined }) {
  const { id, statuses = {} } = entry ?? {};
  return (
    <div class="choose">
      <h2>Choose a requirement</h2>
      <p class="second small">
        It shows where the requirement stands, who judged it, and what it is linked to. Keys:{' '}
        <kbd>j</kbd> <kbd>k</kbd> next and previous, <kbd>[</kbd> <kbd>]</kbd> documents,{' '}
        <kbd>e</kbd> edit.
      </p>
      {STATUSES.filter((status) => statuses[status]).map((status) => (
        <a key={status} href={href('matrix', [], { root: id, status })}>
          <StatusIcon status={status} />
          <span class="grow">{status}</span>
          <b class="number">{statuses[status]}</b>
        </a>
      ))}
    </div>
  );
}

function Nothing() {
  const { slug } = useMe().project;
  return (
    <Empty title="There are no requirements yet">
      <p>They come from the files of a folder, or are added one by one.</p>
      <Copyable text={`pqrs import docs/requirements --project ${slug}`} />
      <a class="button" href={href('sources')}>
        Import a folder
      </a>
    </Empty>
  );
}
