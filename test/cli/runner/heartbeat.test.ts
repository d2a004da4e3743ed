// Signs of life: sent when they are due, again where they fail, and given up when the lease has run out.
import { describe, expect, test } from 'bun:test';
import { type ApiAnswer, Unreachable } from '../../../src/cli/runner/api.ts';
import { type Beat, keepAlive } from '../../../src/cli/runner/heartbeat.ts';

const RENEW = 1000;

type Reply = 'ok' | 'cancel' | 'away' | number | { status: number; code: string; after?: number };

function answerOf(reply: Reply): ApiAnswer {
  const renewed = { renewAfterMs: RENEW, cancelRequested: reply === 'cancel' };
  if (reply === 'ok' || reply === 'cancel')
    return { status: 200, body: renewed, retryAfterMs: undefined };
  if (reply === 'away') throw new Unreachable('away', true);
  if (typeof reply === 'number') return { status: reply, body: {}, retryAfterMs: undefined };
  return { status: reply.status, body: { code: reply.code }, retryAfterMs: reply.after };
}

/** Plays replies in turn, the last again and again, for so many milliseconds. */
async function play(replies: Reply[], forMs: number, known = 0, renewAfterMs = RENEW) {
  let now = 0;
  const sent: { seq: number; at: number }[] = [];
  const beats: Beat[] = [];
  const run = { runId: 'run_1', attempt: 2 };
  const lease = { id: 'lse_1', token: 't' };
  const seq = await keepAlive(
    { ...run, lease, seq: 1, renewAfterMs, deadline: 5 * renewAfterMs },
    {
      async send({ method, json }) {
        if (method === 'GET') return { status: 200, body: { seq: known }, retryAfterMs: undefined };
        const body = json as { seq: number };
        expect(body).toMatchObject({ runId: 'run_1', attempt: 2, lease });
        sent.push({ seq: body.seq, at: now });
        return answerOf(replies[Math.min(sent.length, replies.length) - 1] ?? 'ok');
      },
      onBeat: (beat) => void beats.push(beat),
      async wait(ms) {
        now += ms;
        return now <= forMs;
      },
      now: () => now,
      random: () => 1,
    },
  );
  return { seq, sent, beats, now };
}

describe('the heartbeat', () => {
  test('goes each time it is due, under a number that rises', async () => {
    const { sent, seq, beats } = await play(['ok'], 3500);
    expect(sent).toEqual([
      { seq: 2, at: 1000 },
      { seq: 3, at: 2000 },
      { seq: 4, at: 3000 },
    ]);
    expect(seq).toBe(4);
    expect(beats[0]).toEqual({
      type: 'renewed',
      deadline: 6000,
      renewAfterMs: RENEW,
      cancelRequested: false,
    });
  });

  test('that fails goes again under its number, and nothing ends before the lease does', async () => {
    const { sent, beats, seq } = await play(['away', 503, 500, 429, 'ok'], 4900);
    expect(sent.slice(0, 5).map((one) => one.seq)).toEqual([2, 2, 2, 2, 2]);
    expect(beats.map(({ type }) => type).slice(0, 5)).toEqual([
      ...(['failing', 'failing', 'failing', 'failing', 'renewed'] as const),
    ]);
    expect(beats.some(({ type }) => type === 'lost')).toBe(false);
    expect(seq).toBeGreaterThanOrEqual(3);
  });

  test('is given up when the lease has run out, and not before', async () => {
    const { beats, sent, now } = await play(['away'], 60_000);
    expect(beats.at(-1)).toEqual({ type: 'lost', why: 'no sign of life got through: away' });
    expect(beats.filter(({ type }) => type === 'lost')).toHaveLength(1);
    expect(sent.length).toBeGreaterThan(4);
    expect(now).toBe(5 * RENEW);
    expect(sent.at(-1)?.at).toBe(5 * RENEW);
  });

  test('counts from the last answer', async () => {
    const { beats, now } = await play(['ok', 'ok', 'away'], 60_000);
    expect(beats.at(-1)?.type).toBe('lost');
    expect(now).toBe(7 * RENEW);
  });

  test.each([
    [{ status: 409, code: 'lease_expired' }],
    [{ status: 409, code: 'illegal_transition' }],
    [{ status: 404, code: 'not_found' }],
    [{ status: 401, code: 'unauthorized' }],
  ])('ends with %j at once', async (reply) => {
    const { beats, sent } = await play(['ok', reply], 60_000);
    expect(sent).toHaveLength(2);
    expect(beats.at(-1)).toEqual({ type: 'lost', why: `${reply.status} ${reply.code}` });
  });

  test('says that cancellation is asked for', async () => {
    const { beats } = await play(['cancel'], 1500);
    expect(beats[0]).toMatchObject({ type: 'renewed', cancelRequested: true });
  });

  test('takes the number behind the one that the server knows', async () => {
    const stale = { status: 409, code: 'stale_sequence' };
    const { sent, beats } = await play([stale, 'ok'], 2500, 41);
    expect(sent.map((one) => one.seq)).toEqual([2, 42, 43]);
    expect(beats.every(({ type }) => type === 'renewed')).toBe(true);
  });

  test('goes more often under a long lease, and hears of a cancellation soon', async () => {
    const { sent, beats } = await play(['cancel'], 20_000, 0, 180_000);
    expect(sent[0]?.at).toBe(15_000);
    expect(beats[0]).toMatchObject({ cancelRequested: true });
  });

  test('gives up a lease when no number will do', async () => {
    const { beats, now } = await play([{ status: 409, code: 'stale_sequence' }], 60_000);
    expect(beats.map(({ type }) => type)).toEqual(['lost']);
    expect(now).toBeGreaterThanOrEqual(5 * RENEW);
  });

  test('waits as long as the server asks, within the time it is due', async () => {
    const { sent } = await play([{ status: 503, code: 'unavailable', after: 900 }, 'ok'], 2500);
    expect(sent.map((one) => one.at)).toEqual([1000, 1900]);
  });
});
