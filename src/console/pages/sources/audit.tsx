// What is wrong or weak in the sources, by file and line; the revisions and files beside it.
import { api, save, useAction, useAnswer } from '../../core/api.ts';
import { counted, grouped, words } from '../../core/format.ts';
import { useRowKeys } from '../../core/keys.ts';
import { go, href, type Route, withQuery } from '../../core/route.ts';
import { useMay, useMe } from '../../frame/caller.ts';
import { Icon } from '../../parts/icons.tsx';
import { Chip, PageHead } from '../../parts/layout.tsx';
import { Empty, Load, Refusal } from '../../parts/states.tsx';
import { SeverityIcon } from '../../parts/status.tsx';
import { type Audit as Answered, type AuditSummary, SEVERITIES, type Severity } from './answers.ts';
import { Files, Revisions } from './aside.tsx';
import { Findings } from './findings.tsx';

type Code = Answered['findings'][number]['code'];

export function Audit({ route }: { route: Route }) {
  useRowKeys();
  const { query } = route;
  const { project } = useMe();
  const mayImport = useMay('POST /projects');
  const path = query.get('path');
  const code = query.get('code');
  const given = query.get('severity')?.split(',') ?? [];
  const severities = SEVERITIES.filter((one) => given.includes(one));
  const { revision } = project;
  const findings = useAnswer(
    () =>
      api()['srs-source-audit'].get({
        query: {
          ...(severities.length > 0 && { severity: severities }),
          ...(code && { code: [code as Code] }),
          ...(path && { path: [path] }),
        },
      }),
    [query.toString(), revision],
  );
  const figures = useAnswer(
    () =>
      api()['srs-source-audit'].get({ query: { view: 'summary', ...(path && { path: [path] }) } }),
    [path, revision],
  );
  const sarif = useAction(() =>
    save('/srs-source-audit?format=sarif', `${project.slug}-${revision}.sarif`),
  );
  const all = figures.data as AuditSummary | undefined;
  if (revision === 0)
    return (
      <>
        <PageHead title="Sources and audit" />
        <NoSources mayImport={mayImport} />
      </>
    );
  return (
    <>
      <PageHead title="Sources and audit" sub={all && headline(all)}>
        <button type="button" class="button" disabled={sarif.busy} onClick={() => void sarif.run()}>
          <Icon name="download" /> SARIF
        </button>
        {mayImport && <ImportLink />}
      </PageHead>
      <Refusal problem={sarif.problem} />
      <div class="columns">
        <div class="stack">
          <div class="filters tight">
            {SEVERITIES.map((severity) => (
              <SeverityChip
                key={severity}
                route={route}
                severity={severity}
                chosen={severities}
                count={all?.summary[`${severity}s`]}
              />
            ))}
            <CodeField route={route} code={code} codes={all?.summary.codes ?? {}} />
            {path && (
              <Chip address={withQuery(route, { path: null })} pressed>
                <span class="mono cut">{path}</span> ×<span class="hidden">: show all</span>
              </Chip>
            )}
          </div>
          <Load answer={findings}>
            {(data) => <Findings findings={(data as Answered).findings} key={query.toString()} />}
          </Load>
        </div>
        <div class="stack">
          <Revisions revision={revision} />
          <Files route={route} sources={project.sources} />
        </div>
      </div>
    </>
  );
}

function headline({ sources, summary: { errors, warnings } }: AuditSummary): string {
  const of = `${counted(sources.total, 'file')}`;
  const failed = sources.failed > 0 ? `, ${grouped(sources.failed)} of them unread` : '';
  return `${counted(errors, 'error')} and ${counted(warnings, 'warning')} in ${of}${failed}`;
}

export function ImportLink() {
  return (
    <a class="button primary" href={href('sources', 'import')}>
      <Icon name="upload" /> Import
    </a>
  );
}

function NoSources({ mayImport }: { mayImport: boolean }) {
  return (
    <Empty title="There are no sources yet">
      <p>
        A folder of Markdown, ReqIF, StrictDoc, Doorstop, Sphinx-Needs, OpenFastTrace or Gherkin
        becomes the first revision.
      </p>
      {mayImport && <ImportLink />}
      <pre class="code">{`pqrs import docs --url ${location.origin} --token-file owner.token`}</pre>
    </Empty>
  );
}

interface SeverityChipProps {
  route: Route;
  severity: Severity;
  chosen: Severity[];
  count: number | undefined;
}

function SeverityChip({ route, severity, chosen, count }: SeverityChipProps) {
  const on = chosen.includes(severity);
  const after = on ? chosen.filter((one) => one !== severity) : [...chosen, severity];
  return (
    <Chip address={withQuery(route, { severity: after.join(',') })} pressed={on} count={count}>
      <SeverityIcon severity={severity} size="small" />
      {severity}
    </Chip>
  );
}

interface CodeFieldProps {
  route: Route;
  code: string | null;
  codes: Record<string, number>;
}

function CodeField({ route, code, codes }: CodeFieldProps) {
  const known = code === null || code in codes ? codes : { ...codes, [code]: 0 };
  return (
    <select
      class="input"
      aria-label="Kind of finding"
      value={code ?? ''}
      onChange={({ currentTarget }) => go(withQuery(route, { code: currentTarget.value }))}
    >
      <option value="">Every kind</option>
      {Object.entries(known).map(([name, count]) => (
        <option key={name} value={name}>
          {words(name)} ({count})
        </option>
      ))}
    </select>
  );
}
