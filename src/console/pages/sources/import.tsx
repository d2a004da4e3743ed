// The next revision from a folder or files of the reader's: compared first, imported when confirmed.

import type { Static } from '@sinclair/typebox';
import { useRef, useState } from 'preact/hooks';
import type { ProjectReply } from '../../../requirements/projects/model.ts';
import { type Problem, send, useAction } from '../../core/api.ts';
import { bytes, counted } from '../../core/format.ts';
import { href, type Route } from '../../core/route.ts';
import { useMay, useMe } from '../../frame/caller.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { PageHead } from '../../parts/layout.tsx';
import { Empty, Refusal } from '../../parts/states.tsx';
import { Comparison } from './comparison.tsx';
import { DropZone } from './drop-zone.tsx';
import { Findings } from './findings.tsx';
import type { NamedFile } from './folder.ts';

type Reply = Static<typeof ProjectReply>;
type Mode = 'replace' | 'merge';

export function Import({ route }: { route: Route }) {
  return (
    <>
      <PageHead
        title="Import"
        parent={{ title: 'Sources', address: href('sources') }}
        sub="whole, or not at all"
      />
      {useMay('POST /projects') ? (
        <Steps route={route} />
      ) : (
        <Empty title="Your token may not import">
          <p>It takes one with srs:edit, or the owner's.</p>
        </Empty>
      )}
    </>
  );
}

function Steps({ route }: { route: Route }) {
  const { project, reload } = useMe();
  const [files, setFiles] = useState<NamedFile[]>();
  const [mode, setMode] = useState<Mode>('replace');
  const [change, setChange] = useState<Reply['change']>();
  const [made, setMade] = useState<{ from: number; to: number }>();
  const [isAsking, setIsAsking] = useState(false);
  const post = async (of: readonly NamedFile[], fields: object): Promise<Reply> => {
    const form = new FormData();
    form.append('project', JSON.stringify({ slug: project.slug, ...fields }));
    for (const { path, file } of of) form.append('file', file, path);
    return send('/projects', form);
  };
  const latest = useRef(0);
  const compare = useAction(async (of: readonly NamedFile[], how: Mode) => {
    // Confirmed, so that what goes is listed and not refused; nothing is stored.
    latest.current += 1;
    const number = latest.current;
    const answer = await post(of, { mode: how, dryRun: true, confirm: true });
    // Another choice may have been made meanwhile.
    if (number === latest.current) setChange(answer.change);
  });
  const keep = useAction(async (confirm: boolean) => {
    const from = change?.from.revision ?? project.revision;
    const answer = await post(files ?? [], { mode, baseRevision: from, confirm });
    setMade({ from, to: answer.project.revision });
    setIsAsking(false);
    reload();
  });
  const choose = (chosen: NamedFile[], how: Mode) => {
    setFiles(chosen);
    setMode(how);
    setChange(undefined);
    setMade(undefined);
    if (chosen.length > 0) void compare.run(chosen, how);
  };
  const size = files?.reduce((sum, { file }) => sum + file.size, 0) ?? 0;
  const isSame = change !== undefined && change.to.revision === change.from.revision;
  return (
    <div class="stack">
      <DropZone choose={(chosen) => choose(chosen, mode)} />
      {files && files.length === 0 && (
        <p class="alert suspect">There is no file in it that could be a source.</p>
      )}
      {files && files.length > 0 && (
        <p class="line" role="status">
          <b class="strong">{counted(files.length, 'file')}</b>
          <span class="second">{bytes(size)}</span>
          <label class="line">
            <span class="second">and the files of revision {project.revision}</span>
            <select
              class="input"
              value={mode}
              disabled={project.revision === 0}
              onChange={({ currentTarget }) => choose(files, currentTarget.value as Mode)}
            >
              <option value="replace">go</option>
              <option value="merge">stay, where they are not the same</option>
            </select>
          </label>
          {compare.busy && <span class="second">are compared; nothing is stored yet</span>}
        </p>
      )}
      <Refusal problem={compare.problem} />
      {made && <Made {...made} />}
      {change && !made && (
        <>
          <Refusal problem={isAsking ? undefined : keep.problem} />
          <div class="line">
            <button
              type="button"
              class="button primary"
              disabled={keep.busy || isSame}
              onClick={() => void keep.run(false)}
            >
              Import as revision {change.from.revision + 1}
            </button>
            {isSame && <span class="second">These are the sources that are there.</span>}
            {isLoss(keep.problem) && !isAsking && (
              <button type="button" class="button" onClick={() => setIsAsking(true)}>
                Import all the same
              </button>
            )}
          </div>
          <Comparison route={route} diff={change} />
          <h2>Findings in what was sent</h2>
          <Findings findings={change.findings} />
        </>
      )}
      {isAsking && (
        <Confirm
          title={`Import without ${counted(change?.removed.length ?? 0, 'item')} that are there now`}
          action="Import"
          busy={keep.busy}
          run={() => void keep.run(true)}
          close={() => setIsAsking(false)}
        >
          <p>{keep.problem?.detail}</p>
        </Confirm>
      )}
    </div>
  );
}

function isLoss(problem: Problem | undefined): boolean {
  return problem?.code === 'drops_stories';
}

function Made({ from, to }: { from: number; to: number }) {
  return (
    <section class="card fit passing" aria-label="Imported">
      <p class="verdict" data-revision={to}>
        <em>Revision {to}</em> holds them.
      </p>
      <p class="line">
        {from > 0 && (
          <a class="button" href={href('sources', 'changes', { from, to })}>
            What changed
          </a>
        )}
        <a class="button" href={href('sources')}>
          Findings
        </a>
        <a class="button" href={href('transfer')}>
          Verdicts
        </a>
      </p>
    </section>
  );
}
