// A graph, or a part of it, as one of the formats in which it is exported.
import { notFound } from '../../errors.ts';
import { etagOf } from '../../model/etag.ts';
import { startWorker } from '../../runtime/worker.ts';
import { keyedLock } from '../../store/client/keyed-lock.ts';
import { cutGraph, type GraphCut } from '../graph/cut.ts';
import type { NormativeField } from '../graph/fingerprint.ts';
import { indexGraph } from '../graph/graph-index.ts';
import type { ExportSubject, Graph } from '../graph/model.ts';
import { applyOverlays, type Overlays } from '../overlay/apply.ts';

export const MEDIA_TYPES = {
  json: 'application/json',
  dot: 'text/vnd.graphviz',
  mermaid: 'text/vnd.mermaid',
  graphml: 'application/graphml+xml',
  'needs-json': 'application/json',
  'srs-json': 'application/json',
  reqif: 'application/xml',
} as const;
export type GraphFormat = keyof typeof MEDIA_TYPES;

type Writer = (graph: Graph, subject: ExportSubject) => string;

const WRITERS: Record<GraphFormat, () => Promise<Writer>> = {
  json:
    async () =>
    (graph, { revision }) =>
      JSON.stringify({ revision, ...graph }),
  dot: async () => (await import('./diagrams.ts')).writeDot,
  mermaid: async () => (await import('./diagrams.ts')).writeMermaid,
  graphml: async () => (await import('./diagrams.ts')).writeGraphml,
  'needs-json': async () => (await import('./json.ts')).writeNeedsJson,
  'srs-json': async () => (await import('./json.ts')).writeSrsJson,
  reqif: async () => (await import('./reqif.ts')).writeReqif,
};

export interface Writing {
  format: GraphFormat;
  cut: GraphCut;
  subject: ExportSubject;
}

export interface Written {
  bytes: Uint8Array<ArrayBuffer>;
  etag: string;
}

/** @throws Problem `not_found` where the root of the cut is no node */
export async function writeGraph(
  graph: Graph,
  { format, cut, subject }: Writing,
): Promise<Written> {
  if (cut.root !== undefined && !graph.nodes.some(({ id }) => id === cut.root))
    throw notFound('node');
  const write = await WRITERS[format]();
  const text = write(cutGraph(graph, cut), subject);
  return { bytes: new TextEncoder().encode(text), etag: etagOf(subject.revision, text) };
}

export interface WritingJob extends Writing {
  /** The JSON of a revision's graph; it moves to who writes it. */
  graph: Uint8Array<ArrayBuffer>;
  /** What is to be laid on it. */
  overlays: (Overlays & { normative: readonly NormativeField[] }) | undefined;
}

export type WritingMessage = { done: Written } | { absent: true } | { failed: string };

export function writeJob({ graph, overlays, ...writing }: WritingJob): Promise<Written> {
  const canonical: Graph = JSON.parse(new TextDecoder().decode(graph));
  const laid = overlays && applyOverlays(indexGraph(canonical), overlays, overlays.normative).graph;
  return writeGraph(laid ?? { nodes: canonical.nodes, edges: canonical.edges }, writing);
}

const turns = keyedLock();

/**
 * The same in a worker of its own, of a project one at a time: each takes memory for a whole graph.
 * @param read - called when its turn has come
 * @throws Problem `not_found` as above
 */
export function writeElsewhere(
  projectId: string,
  read: () => Promise<WritingJob>,
): Promise<Written> {
  return turns(projectId, async () => writeInWorker(await read()));
}

async function writeInWorker(job: WritingJob): Promise<Written> {
  const worker = startWorker('requirements/export/worker.ts');
  try {
    const { promise, resolve, reject } = Promise.withResolvers<Written>();
    worker.onmessage = ({ data }: MessageEvent<WritingMessage>) => {
      if ('done' in data) resolve(data.done);
      else if ('absent' in data) reject(notFound('node'));
      else reject(new Error(`the export failed: ${data.failed}`));
    };
    worker.onerror = ({ message }) => reject(new Error(`the export failed: ${message}`));
    worker.postMessage(job, [job.graph.buffer]);
    return await promise;
  } finally {
    worker.terminate();
  }
}
