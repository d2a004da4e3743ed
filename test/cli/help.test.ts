// The help of each command against what it takes, and the completion scripts made of the same.
import { describe, expect, spyOn, test } from 'bun:test';
import { type Command, readCall, UsageError } from '../../src/cli/command.ts';
import { completionOf } from '../../src/cli/commands/completion.ts';
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
    ...COMMANDS.flatMap(({ options }) => Object.keys(options)),
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
  const script = (shell: string) => printed(() => completion.run(readCall(completion, [shell])));

  const ASK = `eval "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pqrs; printf "%s\\n" "\${COMPREPLY[@]}"`;

  /** What bash offers for a line whose last word is being typed. */
  async function offered(line: string): Promise<string[]> {
    const words = line.split(' ');
    const command = ['bash', '--norc', '-c', ASK, 'bash', await script('bash'), ...words];
    const { stdout, stderr, exitCode } = Bun.spawnSync(command);
    expect({ stderr: stderr.toString(), exitCode }).toEqual({ stderr: '', exitCode: 0 });
    return stdout.toString().split('\n').filter(Boolean).sort();
  }

  test.each([
    ['pqrs tok', ['token']],
    ['pqrs token ', ['create', 'list', 'revoke']],
    ['pqrs token re', ['revoke']],
    ['pqrs token create --read', ['--read-only']],
    ['pqrs token list --project x --pro', ['--project']],
    ['pqrs keys rotate s', ['sealing', 'signing']],
    ['pqrs completion ', ['bash', 'fish', 'zsh']],
    ['pqrs version --', ['--help', '--json']],
    ['pqrs --por', ['--port']],
    ['pqrs token list --port', []],
    ['pqrs import --project ', []],
    ['pqrs import ', []],
  ])('in bash of "%s"', async (line, words) => {
    expect(await offered(line)).toEqual(words);
  });

  test.each([
    ['bash', ['bash', '-n']],
    ['zsh', ['zsh', '-n']],
    ['fish', ['fish', '--no-execute']],
  ])('for %s names every command and is well formed', async (shell, check) => {
    const text = await script(shell);
    for (const { name } of COMMANDS) expect(text).toContain(name);
    expect(text).toContain('capability');
    if (!Bun.which(shell)) return;
    const { exitCode } = Bun.spawnSync([...check, '/dev/stdin'], {
      stdin: new TextEncoder().encode(text),
    });
    expect(exitCode).toBe(0);
  });

  test('knows no other shell', () => {
    expect(completion.run(readCall(completion, ['tcsh']))).rejects.toThrow(UsageError);
  });
});
