// The environment of a command: a few variables that programs need to run at all, and its own. Nothing
// else that the agent has in its environment, its token above all, reaches a command.
import { RUN_VARIABLE } from './process-table.ts';

const PASSED_ON = ['PATH', 'HOME', 'LANG', 'TMPDIR'];
/** Without these no program starts on Windows. */
const PASSED_ON_WINDOWS = [
  ...['SystemRoot', 'SystemDrive', 'ComSpec', 'PATHEXT', 'TEMP', 'TMP', 'USERPROFILE'],
  ...['LOCALAPPDATA', 'APPDATA', 'ProgramFiles'],
];

/**
 * Puts together what a command finds in its environment.
 *
 * @param own - the agent's
 * @param given - the command's, then its credentials: what comes later goes before
 */
export function childEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  runId: string,
  ...given: Readonly<Record<string, string>>[]
): Record<string, string> {
  const names = process.platform === 'win32' ? [...PASSED_ON, ...PASSED_ON_WINDOWS] : PASSED_ON;
  const passedOn = names.flatMap((name) => {
    const value = own[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.assign(Object.fromEntries(passedOn), ...given, { [RUN_VARIABLE]: runId });
}
