// Verdicts that others follow: what supersedes one.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { whySuperseded } from '../../src/assurance/validation/decide.ts';
import type { GraphNode } from '../../src/requirements/graph/model.ts';

interface Said {
  content: string;
  upstream?: string;
  /** Of the fingerprints; `t` by default. */
  profile?: string;
}

const deepOf = ({ content, upstream = 'u' }: Said) => `${content} ${upstream}`;

/** Asks of the first of some verdicts on a story, which may be called otherwise today. */
function ask(today: Said, said: readonly Said[], called = 'A') {
  const effective = {
    node: (id: string) =>
      id === called
        ? ({ fingerprint: `f1.t:${today.content}`, deepFingerprint: 'd1.t:?' } as GraphNode)
        : undefined,
    under(id: string, stored: string) {
      if (id !== called) return undefined;
      const own = stored.startsWith('d') ? deepOf(today) : today.content;
      return stored.slice(0, stored.indexOf(':') + 1) + own;
    },
  };
  const verdicts = said.map((one, at) => ({
    ...{ id: `val_${at + 1}`, seq: at + 1, storyId: 'A' },
    fingerprint: `f1.${one.profile ?? 't'}:${one.content}`,
    deepFingerprint: `d1.${one.profile ?? 't'}:${deepOf(one)}`,
  }));
  const [carried] = verdicts;
  if (!carried) throw new Error('no verdict was made');
  return whySuperseded(effective, carried, verdicts, called);
}

const RESTING = (upstream: string): Said => ({ content: 'a', upstream });

test('of any history, what is said again is the newest on the text, or alone holds [PQRS-35]', () => {
  const content = fc.constantFrom('a', 'b');
  const upstream = fc.constantFrom('u', 'v', 'w');
  const profile = fc.constantFrom('t', 'k');
  const said = fc.record({ content, upstream, profile });
  const rests = fc.record({ upstream, profile });
  fc.assert(
    fc.property(rests, upstream, fc.array(said, { maxLength: 6 }), (first, today, later) => {
      // Only what is of the text of today is ever carried.
      const carried = { ...first, content: 'a' };
      const why = ask(RESTING(today), [carried, ...later]);
      const onText = later.filter((one) => one.content === 'a');
      const holding = onText.filter((one) => one.upstream === today);
      const alone = carried.upstream === today && holding.length === 0;
      expect(why === undefined).toBe(onText.length === 0 || alone);
      const named = (holding.length > 0 ? holding : onText).at(-1);
      if (why !== undefined && named) {
        expect(later[Number(/^val_(\d+),/.exec(why)?.[1]) - 2]).toBe(named);
      }
    }),
  );
});
