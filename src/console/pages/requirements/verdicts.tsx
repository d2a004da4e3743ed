// Who judged a requirement, on which text, and what is other in the text by now.
import { api, dataOf, type Problem, useAction } from '../../core/api.ts';
import { words } from '../../core/format.ts';
import { href } from '../../core/route.ts';
import { useMay } from '../../frame/caller.ts';
import { OutcomeIcon, StatusIcon } from '../../parts/status.tsx';
import { OutsideLink, StoryLink, Time } from '../../parts/text.tsx';
import type { Judgement, Story } from './answers.ts';
import { Differences } from './editor.tsx';
import { Form, useDraft } from './forms.tsx';

interface VerdictsProps {
  story: Story;
  item: Judgement | undefined;
  open: string | null;
  changed(note: string): void;
}

export function Verdicts({ story, item, open, changed }: VerdictsProps) {
  const may = useMay('POST /validation-transfer');
  return (
    <>
      {item?.validation ? (
        <Verdict item={item} validation={item.validation} />
      ) : (
        <p class="second small">Nobody has judged it yet.</p>
      )}
      {may && open === 'record_verdict' && <VerdictForm story={story} changed={changed} />}
      {may && open !== 'record_verdict' && (
        <a class="button compact" href={href('requirements', story.id, { do: 'record_verdict' })}>
          {item?.validation ? 'Judge it again' : 'Judge it'}
        </a>
      )}
    </>
  );
}

const HOLDS: ReadonlySet<string> = new Set(['transferable', 'restored']);

interface VerdictProps {
  item: Judgement;
  validation: NonNullable<Judgement['validation']>;
}

function Verdict({ item: { disposition, why, was, now, via }, validation }: VerdictProps) {
  const { verdict, method, evidence, note, by, at, revision } = validation;
  return (
    <div class="verdict">
      <OutcomeIcon outcome={verdict} />
      <div class="grow">
        <p>
          <b>{verdict}</b> by {by === 'system' ? 'the service' : (by.label ?? 'somebody')}, {method}
          , <Time at={at} />, on revision {revision}
        </p>
        {evidence && (
          <p class="second">
            {/^https?:\/\/\S+$/i.test(evidence) ? <OutsideLink url={evidence} /> : evidence}
          </p>
        )}
        {note && <p class="second">{note}</p>}
        <p class="note">
          <StatusIcon status={HOLDS.has(disposition) ? 'validated' : 'suspect'} size="small" />
          <span>
            {words(disposition)}: {why}
          </span>
        </p>
        {was && now && <Differences before={was} after={now} />}
        {via && (
          <>
            <p class="small">
              It rests on <StoryLink id={via.storyId} /> {via.title}
            </p>
            {via.was && via.now && <Differences before={via.was} after={via.now} />}
          </>
        )}
      </div>
    </div>
  );
}

const VERDICTS = ['passed', 'failed', 'blocked', 'inconclusive'] as const;
const METHODS = ['inspection', 'test', 'analysis', 'demonstration'] as const;

function VerdictForm({ story, changed }: Pick<VerdictsProps, 'story' | 'changed'>) {
  const { id, fingerprint, deepFingerprint } = story;
  const { fields, set, drop } = useDraft(`verdict.${id}`, {
    verdict: 'passed' as (typeof VERDICTS)[number],
    method: 'inspection' as (typeof METHODS)[number],
    evidence: '',
  });
  const action = useAction(async () => {
    // The verdict is on what is shown here: it is refused where the story says something else by now.
    const evidence = fields.evidence.trim() || null;
    const result = { storyId: id, ...fields, evidence, fingerprint, deepFingerprint };
    const answer = await dataOf(
      api()['validation-transfer'].post({ mode: 'record', results: [result] }),
    );
    const refused = answer.items.find(({ applied }) => !applied);
    if (refused) throw refusalOf(refused.why);
    drop();
    changed('The verdict was recorded.');
  });
  const form = { label: 'Record a verdict', title: 'Record', back: href('requirements', id) };
  return (
    <Form {...form} action={action} ready>
      <fieldset class="choices">
        <legend>Verdict</legend>
        {VERDICTS.map((verdict) => (
          <label key={verdict} class="line">
            <input
              type="radio"
              name="verdict"
              checked={fields.verdict === verdict}
              onChange={() => set({ verdict })}
            />
            {verdict}
          </label>
        ))}
      </fieldset>
      <label>
        Method
        <select
          class="input"
          value={fields.method}
          onChange={({ currentTarget }) =>
            set({ method: currentTarget.value as (typeof METHODS)[number] })
          }
        >
          {METHODS.map((method) => (
            <option key={method}>{method}</option>
          ))}
        </select>
      </label>
      <label>
        Evidence
        <textarea
          class="input"
          placeholder="What was looked at, or a link to it"
          value={fields.evidence}
          onInput={({ currentTarget }) => set({ evidence: currentTarget.value })}
        />
      </label>
    </Form>
  );
}

function refusalOf(detail: string): Problem {
  return { status: 409, code: 'not_applied', title: 'The verdict was not recorded', detail };
}
