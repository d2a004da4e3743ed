// The labels and names that a command is given are texts of one line.
import { UsageError } from './command.ts';

/** As many characters as the API takes for a label or a name. */
const CHARACTERS_MOST = 300;
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/**
 * A label or a name that is fit to be shown in a line.
 *
 * @param called - the option or argument that gives it
 * @throws UsageError that names it
 */
export function requireOneLine(called: string, text: string): string {
  const characters = [...text].length;
  if (!/\S/.test(text)) throw new UsageError(`${called} must not be blank`);
  if (characters > CHARACTERS_MOST)
    throw new UsageError(
      `${called} must have at most ${CHARACTERS_MOST} characters, not ${characters}`,
    );
  if (CONTROLS.test(text))
    throw new UsageError(`${called} must be one line without control characters`);
  return text;
}
