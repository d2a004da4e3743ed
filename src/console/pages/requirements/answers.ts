// What the API answers of requirements, and the requests for it.
import type { Static } from '@sinclair/typebox';
import type { DocumentPage, DocumentTree } from '../../../assurance/graph/model.ts';
import type { TransferPage } from '../../../assurance/validation/model.ts';
import type {
  Story as StoryBody,
  Workflow as WorkflowBody,
} from '../../../assurance/workflow/model.ts';
import type { Overlay as OverlayBody } from '../../../requirements/overlay/model.ts';
import { type Answer, api, useAnswer } from '../../core/api.ts';

export type { DocumentItem } from '../../../assurance/graph/model.ts';
export type Documents = DocumentTree['documents'];
export type Story = Static<typeof StoryBody>;
export type Workflow = Static<typeof WorkflowBody>;
export type Judgement = Static<typeof TransferPage>['items'][number];
export type Overlay = Static<typeof OverlayBody>;

/** So many items are in a page of a document: its nodes and those of the panel stay below 2,500. */
export const PAGE_ITEMS = 50;

export function useTree(): Answer<DocumentTree> {
  const ask = (signal: AbortSignal) =>
    api()['srs-graph'].get({ query: { view: 'document' }, fetch: { signal } });
  return useAnswer(ask, []) as Answer<DocumentTree>;
}

/** @param at - a node of the document; empty for what is in none; undefined to ask nothing */
export function useDocument(at: string | undefined): Answer<DocumentPage> {
  const ask = (signal: AbortSignal) => {
    if (at === undefined) return undefined;
    const place = at === '' ? { root: '' } : { at };
    const query = { view: 'document' as const, limit: PAGE_ITEMS, ...place };
    return api()['srs-graph'].get({ query, fetch: { signal } });
  };
  return useAnswer(ask, [at]) as Answer<DocumentPage>;
}

/** A story, without that of another id that was shown before. */
export function useStory(id: string | undefined): Answer<Story> {
  const path = { id: encodeURIComponent(id ?? '') };
  const answer = useAnswer(
    (signal) => (id === undefined ? id : api()['srs-story'](path).get({ fetch: { signal } })),
    [id],
  );
  return answer.data?.id === id ? answer : { ...answer, data: undefined };
}

export function useWorkflow(id: string): Answer<Workflow> {
  const path = { id: encodeURIComponent(id) };
  return useAnswer((signal) => api()['srs-workflow'](path).get({ fetch: { signal } }), [id]);
}

/** Its verdict, and how that stands to what it says today. */
export function useJudgement(id: string): Answer<{ items: Judgement[] }> {
  const query = { storyId: [id] };
  return useAnswer(
    (signal) => api()['validation-transfer'].get({ query, fetch: { signal } }),
    [id],
  ) as Answer<{ items: Judgement[] }>;
}
