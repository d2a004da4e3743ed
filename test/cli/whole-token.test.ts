// Whole tokens among the arguments of a command.
import { expect, test } from 'bun:test';
import { idOfWholeToken, withoutSecrets } from '../../src/cli/whole-token.ts';
import { openWorkplace } from '../support/running-executable.ts';

const ID = '01m80azsfxe50828jhbq6sbewk';
const SECRET = '1m050tzfc6g39mpz1s0bbfz7hj367akfx4r5qkjzh8zwpktmeds3';
const TOKEN = `pqrs_${ID}_${SECRET}`;

test('the id of a whole token is told, and its secret never', () => {
  expect(idOfWholeToken(TOKEN)).toBe(`tok_${ID}`);
  expect(idOfWholeToken(` ${TOKEN}\n`)).toBe(`tok_${ID}`);
  for (const none of [`tok_${ID}`, `pqrs_${ID}`, `x${TOKEN}`, `${TOKEN} ${TOKEN}`, ''])
    expect(idOfWholeToken(none)).toBeUndefined();
  // One that was not copied to its end gives away as much.
  const said = withoutSecrets(`no "${TOKEN}" and no ${TOKEN.slice(0, -9)}.`);
  expect(said).toBe(`no "pqrs_${ID}_…" and no pqrs_${ID}_….`);
  expect(withoutSecrets('pqrs_data and pqrs: no')).toBe('pqrs_data and pqrs: no');
});

test('no command repeats a token that it was given by mistake [PQRS-69]', async () => {
  const place = await openWorkplace('whole-token');
  await place.run(['init']);
  expect(await place.run(['token', 'revoke', TOKEN])).toEqual({
    ...{ code: 2, out: '' },
    err: `pqrs: that is a whole token; name it by its id: tok_${ID}\n`,
  });
  for (const args of [
    [TOKEN],
    [`--${TOKEN}`],
    ['token', 'create', '--capability', TOKEN],
    ['token', 'create', '--capability', 'srs:edit', '--project', TOKEN],
    ['token', 'create', '--capability', 'srs:edit', '--expires', TOKEN],
    ['token', 'revoke', `x${TOKEN}`],
    ['credential', 'rm', TOKEN],
    ['import', TOKEN],
    ['serve', '--tls-cert', TOKEN, '--tls-key', TOKEN],
    ['serve', '--log-level', TOKEN],
    ['token', 'list', '--data-dir', TOKEN],
    ['report', 'none.xml', '--url', TOKEN],
  ]) {
    const { code, out, err } = await place.run(args);
    expect(code).not.toBe(0);
    expect(err).toStartWith('pqrs: ');
    expect(out + err).not.toContain(SECRET);
  }
}, 30_000);
