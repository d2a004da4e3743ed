// The help of each command against what it takes, and the completion scripts made of the same.
import { describe, expect, spyOn, test } from 'bun:test';
import { join } from 'node:path';
import { type Command, readCall, UsageError } from '../../src/cli/command.ts';
import { completionOf, SCRIPTS } from '../../src/cli/commands/completion.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { run } from '../../src/cli/run.ts';
import { describeSettings } from '../../src/config.ts';
import { DEFAULT_LIMITS } from '../../src/limits.ts';

async function printed(print: () => unknown): Promise<string> {
  let out = '';
  const write = spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += text;
    return true;
  });
  try {
    await print();
  } finally {
    write.mockRestore();
  }
  return out;
}

const helpOf = ({ name }: Command) => printed(() => run([...name.split(' '), '--help']));

function takes(command: Command, flag: string): boolean {
  try {
    readCall(command, [`--${flag}`]);
    return true;
  } catch (error) {
    return !(error instanceof UsageError) || !error.message.includes('Unknown option');
  }
}

const everyFlag = [
  ...new Set([
    ...COMMANDS.flatMap(({ options = {} }) => Object.keys(options)),
    ...describeSettings().flatMap(({ flag }) => flag ?? []),
    ...['json', 'help', 'no-such-flag'],
  ]),
].sort();

describe('the help [PQRS-82]', () => {
  test.each(COMMANDS.map((command) => [command.name, command] as const))(
    'of %s names the flags that it takes, and no other',
    async (_, command) => {
      const help = await helpOf(command);
      expect(help).toContain(`pqrs ${command.name}`);
      const named = [...help.matchAll(/^ {2}--([a-z-]+)/gm)].map(([, flag = '']) => flag);
      expect(named.sort()).toEqual(everyFlag.filter((flag) => takes(command, flag)));
      expect(new Set(named).size).toBe(named.length);
    },
  );

  test('names the settings of the server under serve alone', async () => {
    for (const command of COMMANDS) {
      const help = await helpOf(command);
      expect(help.includes('PQRS_REQUESTS_IN_FLIGHT')).toBe(command.name === 'serve');
    }
  });

  test('gives each limit a unit and a meaning of its own', () => {
    const limits = describeSettings().filter(({ key }) => key in DEFAULT_LIMITS);
    expect(limits.length).toBe(Object.keys(DEFAULT_LIMITS).length);
    expect(new Set(limits.map(({ help }) => help)).size).toBe(limits.length);
    const units = {
      Bytes: 'bytes',
      Seconds: 'seconds',
      Percent: 'percent',
      PerMinute: 'per minute',
    };
    for (const { key, help } of limits) {
      for (const [end, unit] of Object.entries(units))
        if (key.endsWith(end)) expect(help).toContain(unit);
    }
  });
});

describe('completion', () => {
  const completion = completionOf(COMMANDS);
  const printedBy = (...args: string[]) =>
    printed(() => completion.run(readCall(completion, args)));

  test.each([
    ['tok', ['token']],
    ['token ', ['create', 'list', 'revoke']],
    ['token re', ['revoke']],
    ['token create --read', ['--read-only']],
    ['token list --project x --pro', ['--project']],
    ['keys rotate s', ['sealing', 'signing']],
    ['completion ', ['bash', 'fish', 'zsh']],
    ['version --', ['--help', '--json']],
    ['--por', ['--port']],
    ['token list --port', []],
    ['import --project ', []],
    ['import ', []],
  ])('of "pqrs %s"', async (line, words) => {
    const found = await printedBy('words', '--', ...line.split(' '));
    expect(found.split('\n').filter(Boolean).sort()).toEqual(words);
  });

  test.each([
    ['bash', ['bash', '-n']],
    ['zsh', ['zsh', '-n']],
    ['fish', ['fish', '--no-execute']],
  ] as const)('for %s is a well-formed script', async (shell, check) => {
    expect(await printedBy(shell)).toBe(SCRIPTS[shell]);
    if (!Bun.which(shell)) return console.log(`Not checked: ${shell} is not installed.`);
    const stdin = new TextEncoder().encode(SCRIPTS[shell]);
    expect(Bun.spawnSync([...check, '/dev/stdin'], { stdin }).exitCode).toBe(0);
  });

  test('is asked by bash for the words of the line', async () => {
    const pqrs = `pqrs() { ${process.execPath} ${join(import.meta.dir, '../../src/main.ts')} "$@"; }`;
    const ask = 'COMP_WORDS=(pqrs token re); COMP_CWORD=2; _pqrs; echo "$COMPREPLY"';
    const script = [pqrs, SCRIPTS.bash, ask].join('\n');
    const { stdout, stderr } = Bun.spawnSync(['bash', '--norc', '-c', script]);
    expect({ stdout: stdout.toString(), stderr: stderr.toString() }).toEqual({
      stdout: 'revoke\n',
      stderr: '',
    });
  });

  test('knows no other shell', () => {
    expect(completion.run(readCall(completion, ['tcsh']))).rejects.toThrow(UsageError);
  });
});
