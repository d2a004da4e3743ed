// An edit on its way: what is written, what it would reach, and what others have made of the story.
import { useEffect, useState } from 'preact/hooks';
import type { Impact } from '../../../assurance/impact/impact.ts';
import { type Action, api, dataOf, type Problem, useAction } from '../../core/api.ts';
import { useMe } from '../../frame/caller.ts';
import type { Story } from './answers.ts';
import { dropDraft, readDraft, writeDraft } from './drafts.ts';

export interface Fields {
  title: string;
  statement: string;
  acceptance: string[];
  rationale: string;
}

interface Draft {
  /** The story that it was begun on. */
  base: Fields;
  baseFingerprint: string;
  fields: Fields;
  reason: string;
}

export interface Editing {
  draft: Draft;
  /** What the story says by now, where that is not what the edit was begun on. */
  theirs: Fields | undefined;
  /** Whether it says anything new. */
  changed: boolean;
  impact: Impact | undefined;
  asking: boolean;
  /** What stands against it, as the dry run says. */
  problem: Problem | undefined;
  save: Action<[]>;
  change(fields: Partial<Fields>): void;
  setReason(reason: string): void;
  /** Puts what was written on what the story says by now, or takes that instead. */
  settle(keep: 'mine' | 'theirs'): void;
  discard(): void;
}

const PAUSE_MS = 300;

function useName(id: string): string {
  return `${useMe().project.slug}.edit.${id}`;
}

export function useHasDraft(id: string): boolean {
  return readDraft(useName(id)) !== undefined;
}

/** @param saved - called with the state of the stored edit and what it reaches */
export function useEditing(
  story: Story,
  reload: () => void,
  saved: (state: string, impact: Impact) => void,
): Editing {
  const name = useName(story.id);
  const [draft, setDraft] = useState<Draft>(() => readDraft(name) ?? draftOf(story));
  const { base, baseFingerprint, fields, reason } = draft;
  const set = setOf(base, fields);
  const setText = JSON.stringify(set);
  const changed = Object.keys(set).length > 0;
  const [dry, setDry] = useState<{ of: string; impact?: Impact; problem?: Problem }>({ of: '' });
  const asked = changed ? `${baseFingerprint} ${setText}` : '';

  const store = (next: Draft) => {
    writeDraft(name, next);
    setDraft(next);
  };

  useEffect(() => {
    if (asked === '') return;
    const abort = new AbortController();
    const body = { storyId: story.id, set: JSON.parse(setText), baseFingerprint, dryRun: true };
    const timer = setTimeout(() => {
      dataOf(api()['story-edits'].post(body, { fetch: { signal: abort.signal } })).then(
        ({ impact }) => abort.signal.aborted || setDry({ of: asked, impact }),
        (problem: Problem) => {
          if (abort.signal.aborted) return;
          setDry({ of: asked, problem });
          if (problem.status === 409) reload();
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [asked]);

  const save = useAction(async () => {
    const body = { storyId: story.id, set, baseFingerprint, reason: reason.trim() || null };
    try {
      const answer = await dataOf(api()['story-edits'].post(body));
      dropDraft(name);
      saved('edit' in answer ? answer.edit.state : '', answer.impact);
    } catch (problem) {
      const { status } = problem as Problem;
      if (status === 409 || status === 412) reload();
      throw problem;
    }
  });

  const now = fieldsOf(story);
  const isOther = story.fingerprint !== baseFingerprint;
  return {
    draft,
    theirs: isOther ? now : undefined,
    changed,
    impact: changed && !isOther ? dry.impact : undefined,
    asking: changed && !isOther && dry.of !== asked,
    problem: changed && !isOther ? dry.problem : undefined,
    save,
    change: (some) => store({ ...draft, fields: { ...fields, ...some } }),
    setReason: (text) => store({ ...draft, reason: text }),
    settle: (keep) =>
      store({
        ...draft,
        base: now,
        baseFingerprint: story.fingerprint,
        fields: keep === 'theirs' ? now : { ...now, ...changesOf(base, fields) },
      }),
    discard: () => dropDraft(name),
  };
}

function draftOf(story: Story): Draft {
  const fields = fieldsOf(story);
  return { base: fields, baseFingerprint: story.fingerprint, fields, reason: '' };
}

export function fieldsOf({ title, statement, acceptance, rationale }: Story): Fields {
  return { title, statement, acceptance, rationale: rationale ?? '' };
}

/** Those fields that say something else; white space is no content. */
function changesOf(base: Fields, fields: Fields): Partial<Fields> {
  const names = Object.keys(fields) as (keyof Fields)[];
  const changed = names.filter((name) => folded(base[name]) !== folded(fields[name]));
  return Object.fromEntries(changed.map((name) => [name, fields[name]]));
}

function setOf(base: Fields, fields: Fields) {
  const { acceptance, rationale, ...texts } = changesOf(base, fields);
  return {
    ...texts,
    ...(acceptance && { acceptance: acceptance.filter((text) => text.trim() !== '') }),
    ...(rationale !== undefined && { rationale: rationale.trim() || null }),
  };
}

function folded(value: string | readonly string[]): string {
  const texts = typeof value === 'string' ? [value] : value.filter((text) => text.trim() !== '');
  return texts.map((text) => text.trim().replace(/\s+/g, ' ')).join('\n');
}
