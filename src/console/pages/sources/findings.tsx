// Findings below the files that they are in, the files with the worst first.
import { useState } from 'preact/hooks';
import { words } from '../../core/format.ts';
import { href } from '../../core/route.ts';
import { More } from '../../parts/states.tsx';
import { SeverityIcon } from '../../parts/status.tsx';
import { StoryLink } from '../../parts/text.tsx';
import { type Finding, SEVERITIES } from './answers.ts';

const FILES_SHOWN = 20;
const FILES_OPEN = 5;
const ROWS_SHOWN = 10;
const ROWS_MORE = 100;

export function Findings({ findings }: { findings: readonly Finding[] }) {
  const [shown, setShown] = useState(FILES_SHOWN);
  const files = [...Map.groupBy(findings, ({ path }) => path)]
    .map(([path, own]) => ({ path, own, worst: Math.min(...own.map(rankOf)) }))
    .sort((a, b) => a.worst - b.worst || b.own.length - a.own.length);
  if (files.length === 0)
    return (
      <section class="card" aria-label="Findings">
        <p class="inside second">Nothing to find fault with.</p>
      </section>
    );
  return (
    <>
      {files.slice(0, shown).map(({ path, own }, index) => (
        <FileFindings key={path} path={path} findings={own} isOpen={index < FILES_OPEN} />
      ))}
      <More more={shown < files.length ? () => setShown(shown + FILES_SHOWN) : undefined} />
    </>
  );
}

function rankOf({ severity }: Finding): number {
  return SEVERITIES.indexOf(severity);
}

interface FileFindingsProps {
  path: string;
  findings: Finding[];
  isOpen: boolean;
}

function FileFindings({ path, findings, isOpen }: FileFindingsProps) {
  const [open, setOpen] = useState(isOpen);
  const [shown, setShown] = useState(ROWS_SHOWN);
  const inOrder = findings.toSorted((a, b) => rankOf(a) - rankOf(b) || a.line - b.line);
  const [worst] = inOrder;
  return (
    <section class="card" aria-label={path || 'No file'}>
      <h2>
        <button
          type="button"
          class="file-head"
          aria-expanded={open}
          data-row
          onClick={() => setOpen(!open)}
        >
          {worst && <SeverityIcon severity={worst.severity} />}
          <span class="grow cut mono">{path || 'Edits, additions and verdicts'}</span>
          <span class="faint small">{findings.length}</span>
        </button>
      </h2>
      {open &&
        inOrder
          .slice(0, shown)
          .map((finding) => (
            <Row key={`${finding.fingerprint} ${finding.line}`} finding={finding} />
          ))}
      {open && (
        <More more={shown < inOrder.length ? () => setShown(shown + ROWS_MORE) : undefined} />
      )}
    </section>
  );
}

function Row({ finding: { severity, line, code, detail, itemId } }: { finding: Finding }) {
  return (
    <div class="row finding">
      <span class="mono faint number">{line > 0 ? line : ''}</span>
      <SeverityIcon severity={severity} />
      <span class="grow">
        {detail}{' '}
        <a class="faint" href={href('sources', [], { code })}>
          {words(code)}
        </a>
      </span>
      {itemId && <StoryLink id={itemId} />}
    </div>
  );
}
