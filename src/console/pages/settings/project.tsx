// What the project is set to, and its gates.
import { Fragment } from 'preact';
import { bytes, counted, percent, words } from '../../core/format.ts';
import { href } from '../../core/route.ts';
import { Card } from '../../parts/layout.tsx';
import type { Project } from './answers.ts';

type Settings = Project['settings'];

export function ProjectCard({ project }: { project: Project }) {
  const { name, description, settings } = project;
  return (
    <>
      <Card title="Gates">
        {Object.entries(settings.gates).map(([gate, rules]) => (
          <a key={gate} class="row" href={href('gate', [], { gate })}>
            <span class="grow">
              <b class="strong">{gate}</b>
              <span class="block-line small second">{rulesOf(rules)}</span>
            </span>
          </a>
        ))}
      </Card>
      <Card title="Project">
        <dl class="inside fields">
          <dt>Name</dt>
          <dd>{name}</dd>
          {description && (
            <>
              <dt>Description</dt>
              <dd>{description}</dd>
            </>
          )}
          {rowsOf(settings).map(([label, value]) => (
            <Fragment key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </Fragment>
          ))}
        </dl>
      </Card>
    </>
  );
}

function rulesOf({ failOn = [], minCoverage, maxFlakyRate }: Settings['gates'][string]): string {
  return [
    failOn.length > 0 && `closes on ${failOn.map(words).join(', ')}`,
    minCoverage !== undefined && `coverage of at least ${percent(minCoverage)}`,
    maxFlakyRate !== undefined && `tests that flake in at most ${percent(maxFlakyRate)} of runs`,
  ]
    .filter(Boolean)
    .join('; ');
}

function rowsOf(settings: Settings): [label: string, value: string][] {
  const { editPolicy, needs, normative, autoValidate, judgedBranches, trustedKeys } = settings;
  return [
    ['Edits', editPolicy === 'direct' ? 'hold at once' : 'wait for an owner'],
    ['Covered by', needs.join(' and ') || 'nothing needed'],
    ['What counts as a change', normative.join(', ')],
    ['Judged by tests alone', autoValidate ? 'yes' : 'no'],
    ['Branches that count', judgedBranches?.join(', ') ?? 'all'],
    ['Keys whose bundles are taken', trustedKeys.join(', ') || 'none'],
    [
      'Logs and runs are kept',
      settings.retentionDays === null ? 'for ever' : counted(settings.retentionDays, 'day'),
    ],
    ['Space for files', settings.quotaBytes === null ? 'no limit' : bytes(settings.quotaBytes)],
    ['Open as a demo', settings.demo ? 'yes' : 'no'],
  ];
}
