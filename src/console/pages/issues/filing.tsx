// Files an issue, with pictures and other files; another page may have filled in some of it.
import { useState } from 'preact/hooks';
import { api, dataOf, send, useAction } from '../../core/api.ts';
import { useDraft } from '../../core/drafts.ts';
import { bytes } from '../../core/format.ts';
import { go, href, type Route } from '../../core/route.ts';
import { useMay } from '../../frame/caller.ts';
import { PageHead } from '../../parts/layout.tsx';
import { Empty, Refusal } from '../../parts/states.tsx';
import { SEVERITIES } from '../../parts/status.tsx';
import type { Severity } from './answers.ts';

export function NewIssue({ route }: { route: Route }) {
  const parent = { title: 'Issues', address: href('issues') };
  return (
    <>
      <PageHead title="File an issue" parent={parent} />
      {useMay('POST /issues') ? (
        <FilingForm query={route.query} />
      ) : (
        <Empty title="Your token may not file issues" />
      )}
    </>
  );
}

function FilingForm({ query }: { query: URLSearchParams }) {
  const [title, setTitle] = useDraft('issue title');
  const [description, setDescription] = useDraft('issue description');
  const [severity, setSeverity] = useState<Severity>('major');
  const [build, setBuild] = useState(query.get('build') ?? '');
  const [storyIds, setStoryIds] = useState(query.get('storyIds') ?? '');
  const [files, setFiles] = useState<File[]>([]);
  const [filed, setFiled] = useState<string>();
  const runId = query.get('runId');
  const file = useAction(async () => {
    const id = filed ?? (await fileIssue());
    setFiled(id);
    for (const one of files) {
      const name = encodeURIComponent(one.name).replaceAll("'", '%27');
      await send(`/issues/${id}/attachments`, one, {
        'content-type': one.type || 'application/octet-stream',
        'content-disposition': `attachment; filename*=UTF-8''${name}`,
      });
      setFiles((left) => left.filter((other) => other !== one));
    }
    setTitle('');
    setDescription('');
    go(href('issues', id), true);
  });
  async function fileIssue() {
    const filed = await dataOf(
      api().issues.post({
        title,
        severity,
        ...(description && { description }),
        ...(build && { build }),
        ...(runId && { runId }),
        ...(storyIds.trim() && { storyIds: storyIds.split(/[\s,]+/).filter(Boolean) }),
      }),
    );
    return (filed as { id: string }).id;
  }
  return (
    <form
      class="card stack filing"
      onSubmit={(event) => {
        event.preventDefault();
        void file.run();
      }}
    >
      <label class="field">
        Title
        <input
          class="input"
          required
          maxLength={300}
          value={title}
          onInput={({ currentTarget }) => setTitle(currentTarget.value)}
        />
      </label>
      <label class="field">
        What you saw, and how one comes there
        <textarea
          class="input"
          maxLength={65_536}
          value={description}
          onInput={({ currentTarget }) => setDescription(currentTarget.value)}
        />
      </label>
      <div class="halves">
        <label class="field">
          Severity
          <select
            class="input"
            value={severity}
            onChange={({ currentTarget }) => setSeverity(currentTarget.value as Severity)}
          >
            {SEVERITIES.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <label class="field">
          Build
          <input
            class="input"
            value={build}
            onInput={({ currentTarget }) => setBuild(currentTarget.value)}
          />
        </label>
      </div>
      <label class="field">
        Requirements that it concerns, by their ids
        <input
          class="input mono"
          value={storyIds}
          onInput={({ currentTarget }) => setStoryIds(currentTarget.value)}
        />
      </label>
      <label class="field">
        Pictures and other files
        <input
          type="file"
          multiple
          onChange={({ currentTarget }) => setFiles([...(currentTarget.files ?? [])])}
        />
      </label>
      {files.length > 0 && (
        <p class="small second">
          {files.map(({ name, size }) => `${name} (${bytes(size)})`).join(', ')}
        </p>
      )}
      <Refusal problem={file.problem} />
      {filed && file.problem && (
        <p>
          <a class="link" href={href('issues', filed)}>
            The issue
          </a>{' '}
          is filed; not all of its files are.
        </p>
      )}
      <div>
        <button type="submit" class="button primary" disabled={file.busy}>
          {filed ? 'Send the files again' : 'File it'}
        </button>
      </div>
    </form>
  );
}
