// May it be released? The answer of a gate, each reason with its story and place.
import { useState } from 'preact/hooks';
import type { GateAnswer } from '../../../assurance/gate/model.ts';
import { api, type Having, useAnswer } from '../../core/api.ts';
import { counted, percent, words } from '../../core/format.ts';
import { useRowKeys } from '../../core/keys.ts';
import { addressOf } from '../../core/links.ts';
import { href, type PageProps, withQuery } from '../../core/route.ts';
import { useMay, useMe } from '../../frame/caller.ts';
import { Copyable } from '../../parts/copy.tsx';
import { Card, PageHead, Segments } from '../../parts/layout.tsx';
import { Load, More } from '../../parts/states.tsx';
import { STATUSES, type Status, StatusIcon } from '../../parts/status.tsx';
import { StoryLink } from '../../parts/text.tsx';

const ROWS_SHOWN = 50;

export function Page({ route }: PageProps) {
  useRowKeys();
  const gate = route.query.get('gate') ?? 'default';
  const answer = useAnswer(
    () => api()['project-traceability'].get({ query: { view: 'gate', gate } }),
    [gate],
  );
  const names = Object.keys(useMe().project.settings.gates);
  const mayPlan = useMay('POST /agent/plan');
  return (
    <>
      <PageHead title="Gate" sub="may it be released?">
        {names.length > 1 && (
          <Segments
            label="Gates"
            choices={names.map((name) => ({
              name,
              address: withQuery(route, { gate: name === 'default' ? null : name }),
              current: name === gate,
            }))}
          />
        )}
        {mayPlan && (
          <a class="button" href={href('plan')}>
            Plan the missing runs
          </a>
        )}
      </PageHead>
      <Load answer={answer}>
        {(data) => <Answered answer={data as Having<typeof data, 'verdict'>} />}
      </Load>
    </>
  );
}

function Answered({ answer }: { answer: GateAnswer }) {
  const { verdict, gate, revision, rules, reasons, counts } = answer;
  const passed = verdict === 'passed';
  const byRule = Map.groupBy(reasons, ({ rule }) => rule);
  return (
    <div class="stack">
      <section class={`card fit ${passed ? 'passing' : 'failing'}`} aria-label="Verdict">
        <p class="verdict" data-verdict={verdict}>
          <em>{passed ? 'It may be released' : 'It may not be released'}</em>
          {passed
            ? '.'
            : `: ${counted(reasons.length, 'reason')} by ${counted(byRule.size, 'rule')}.`}
        </p>
        <p class="second small">
          Gate {gate}, revision {revision}: fails on {rulesOf(rules)}. {counts.covered.count} of{' '}
          {counted(counts.covered.total, 'requirement')} covered ({percent(counts.covered.share)}).
        </p>
        <Copyable text={gate === 'default' ? 'pqrs gate' : `pqrs gate ${gate}`} />
      </section>
      {[...byRule].map(([rule, own]) => (
        <Reasons key={rule} rule={rule} reasons={own} />
      ))}
    </div>
  );
}

function rulesOf({ failOn = [], minCoverage, maxFlakyRate }: GateAnswer['rules']): string {
  return [
    ...failOn.map(words),
    minCoverage !== undefined && `coverage below ${percent(minCoverage)}`,
    maxFlakyRate !== undefined && `a flaky rate above ${percent(maxFlakyRate)}`,
  ]
    .filter(Boolean)
    .join(', ');
}

type Reason = GateAnswer['reasons'][number];

function Reasons({ rule, reasons }: { rule: Reason['rule']; reasons: Reason[] }) {
  const [shown, setShown] = useState(ROWS_SHOWN);
  const status = STATUSES.find((one) => one === rule) ?? ('failing' satisfies Status);
  return (
    <Card title={`${words(rule)}: ${reasons.length}`}>
      <table>
        <thead>
          <tr>
            <th scope="col">Story</th>
            <th scope="col">Why</th>
            <th scope="col" class="wide-only">
              Source
            </th>
          </tr>
        </thead>
        <tbody>
          {reasons.slice(0, shown).map(({ storyId, title, why, link, source }, index) => (
            <tr key={index}>
              <td>
                <span class="line">
                  <StatusIcon status={status} />
                  {storyId && <StoryLink id={storyId} />}
                  {title}
                </span>
              </td>
              <td>
                <a class="link" href={addressOf(link)} data-row>
                  {why}
                </a>
              </td>
              <td class="wide-only faint mono">{source && `${source.path}:${source.line}`}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <More more={shown < reasons.length ? () => setShown(shown + ROWS_SHOWN) : undefined} />
    </Card>
  );
}
