// A verdict of a person on what a requirement says today.
import type { Static } from '@sinclair/typebox';
import { useState } from 'preact/hooks';
import type { Story } from '../../../assurance/workflow/model.ts';
import { api, useAction, useAnswer } from '../../core/api.ts';
import { useDraft } from '../../core/drafts.ts';
import { useMay } from '../../frame/caller.ts';
import { Load, Refusal } from '../../parts/states.tsx';
import { type Item, METHODS, send, VERDICTS } from './dispositions.ts';

interface JudgeProps {
  item: Item;
  done(): void;
  close(): void;
}

export function Judge(props: JudgeProps) {
  const { storyId, disposition } = props.item;
  const may = useMay('POST /validation-transfer');
  const isGone = ['orphaned', 'ambiguous', 'renamed'].includes(disposition);
  const story = useAnswer(
    (signal) =>
      may && !isGone
        ? api()
            ['srs-story']({ id: encodeURIComponent(storyId) })
            .get({ fetch: { signal } })
        : undefined,
    [storyId],
  );
  return <Load answer={story}>{(text) => <JudgeForm {...props} text={text} />}</Load>;
}

type Text = Pick<
  Static<typeof Story>,
  'fingerprint' | 'deepFingerprint' | 'statement' | 'acceptance'
>;

function JudgeForm({
  item: { storyId, validation },
  text,
  done,
  close,
}: JudgeProps & { text: Text }) {
  const [evidence, setEvidence] = useDraft(`verdict ${storyId}`);
  const [why, setWhy] = useState<string>();
  const record = useAction(async (form: FormData) => {
    const { items } = await send({
      mode: 'record',
      results: [
        {
          storyId,
          verdict: form.get('verdict') as (typeof VERDICTS)[number],
          method: form.get('method') as (typeof METHODS)[number],
          evidence: evidence.trim() || null,
          // Refused where it says something else by now, or somebody else was first.
          fingerprint: text.fingerprint,
          deepFingerprint: text.deepFingerprint,
          replaces: validation?.id ?? null,
        },
      ],
    });
    const refused = items.find(({ applied }) => !applied);
    setWhy(refused?.why);
    if (refused) return;
    setEvidence('');
    close();
    done();
  });
  return (
    <form
      class="judge"
      aria-label={`Verdict on ${storyId}`}
      onSubmit={(event) => {
        event.preventDefault();
        void record.run(new FormData(event.currentTarget as HTMLFormElement));
      }}
    >
      <h2>What it says today</h2>
      <p>{text.statement}</p>
      {text.acceptance.length > 0 && (
        <ul class="criteria">
          {text.acceptance.map((one) => (
            <li key={one}>{one}</li>
          ))}
        </ul>
      )}
      <fieldset class="line">
        <legend class="hidden">Verdict</legend>
        {VERDICTS.map((verdict) => (
          <label key={verdict} class="choice">
            <input type="radio" name="verdict" value={verdict} required /> {verdict}
          </label>
        ))}
      </fieldset>
      <label>
        Method
        <select class="input" name="method">
          {METHODS.map((method) => (
            <option
              key={method}
              value={method}
              selected={method === (validation?.method ?? 'inspection')}
            >
              {method}
            </option>
          ))}
        </select>
      </label>
      <label>
        Evidence
        <textarea
          class="input"
          value={evidence}
          onInput={({ currentTarget }) => setEvidence(currentTarget.value)}
        />
      </label>
      {why && (
        <p class="alert suspect" role="alert">
          {why}
        </p>
      )}
      <Refusal problem={record.problem} />
      <div class="line">
        <button type="submit" class="button primary" disabled={record.busy}>
          Record
        </button>
        <button type="button" class="button" onClick={close}>
          Cancel
        </button>
      </div>
    </form>
  );
}
