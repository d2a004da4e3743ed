// Reads a source set where it disturbs nobody: small ones at once, others in a worker.
import { startWorker } from '../../runtime/worker.ts';
import type { Finding } from '../audit/finding.ts';
import type { NormativeField } from '../graph/fingerprint.ts';
import { type ImportFile, type ReadSource, readSources } from './read-sources.ts';

export interface ImportJob {
  files: ImportFile[];
  normative: NormativeField[];
}

/** What an import gives, its large parts as JSON: what crosses from a worker is not parsed again. */
export interface ImportedText {
  /** `{ nodes, edges }`. */
  graph: string;
  /** A list of findings. */
  findings: string;
  sources: ReadSource[];
  counts: { nodes: number; edges: number; errors: number; warnings: number };
  /** The worst findings, for a refusal. */
  worst: Finding[];
}

const WORST_SHOWN = 50;

/** Reads a source set where it is called. */
export function importText(job: ImportJob): ImportedText {
  const { graph, findings, sources } = readSources(job.files, job.normative);
  const count = (severity: string) => findings.filter((one) => one.severity === severity).length;
  return {
    graph: JSON.stringify(graph),
    findings: JSON.stringify(findings),
    sources,
    counts: {
      ...{ nodes: graph.nodes.length, edges: graph.edges.length },
      ...{ errors: count('error'), warnings: count('warning') },
    },
    worst: findings.slice(0, WORST_SHOWN),
  };
}

/** A set of fewer bytes is read in less time than a worker takes to start. */
const AT_ONCE_BYTES = 128 * 1024;

/** Reads a source set; the result is the same wherever it is read. */
export async function runImport(job: ImportJob): Promise<ImportedText> {
  const bytes = job.files.reduce((sum, file) => sum + file.bytes.byteLength, 0);
  return bytes > AT_ONCE_BYTES ? inWorker(job) : importText(job);
}

function inWorker(job: ImportJob): Promise<ImportedText> {
  const worker = startWorker('requirements/import/worker.ts');
  const read = new Promise<ImportedText>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<{ done: ImportedText } | { failed: string }>) => {
      if ('done' in data) resolve(data.done);
      else reject(new Error(`the import failed: ${data.failed}`));
    };
    worker.onerror = (event) => reject(new Error(`the import failed: ${event.message}`));
    worker.postMessage(job);
  });
  return read.finally(() => worker.terminate());
}
