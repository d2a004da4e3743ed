// Passphrases come from a file, from standard input, or from who sits at the terminal: arguments can be
// seen by others on the machine.
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { UsageError } from './command.ts';

const MIN_CHARACTERS = 8;

/**
 * Reads a passphrase.
 *
 * @param file - where it stands, `-` for standard input; asked for on the terminal where left out
 * @param options - `twice`: a new one, which is asked for again to find typing errors
 * @throws UsageError where there is none, or a new one is too short
 */
export async function readPassphrase(
  file: string | undefined,
  { twice = false }: { twice?: boolean } = {},
): Promise<string> {
  if (file === undefined && !process.stdin.isTTY)
    throw new UsageError('a passphrase is needed: name its file by --passphrase-file');
  const given =
    file === undefined
      ? await ask('Passphrase: ')
      : (file === '-' ? await text(process.stdin) : await readFile(file, 'utf8')).replace(
          /\r?\n$/,
          '',
        );
  if (!twice) return given;
  if ([...given].length < MIN_CHARACTERS)
    throw new UsageError(`a passphrase has at least ${MIN_CHARACTERS} characters`);
  if (file === undefined && (await ask('Once more: ')) !== given)
    throw new UsageError('the two differ');
  return given;
}

/** Asks on the terminal, which shows nothing of the answer. */
function ask(question: string): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write(question);
  stdin.setRawMode(true);
  stdin.resume().setEncoding('utf8');
  return new Promise((answered, refused) => {
    let typed = '';
    function onData(keys: string): void {
      for (const key of keys) {
        if (key === '\u0003') end(() => refused(new UsageError('no passphrase was given')));
        else if ('\r\n\u0004'.includes(key)) end(() => answered(typed));
        else typed = key === '\u007f' || key === '\b' ? typed.slice(0, -1) : typed + key;
      }
    }
    function end(then: () => void): void {
      stdin.off('data', onData).pause();
      stdin.setRawMode(false);
      stderr.write('\n');
      then();
    }
    stdin.on('data', onData);
  });
}
