// `pqrs completion`: a script for a shell that asks this command for the words that may come next.
import { type Command, flagsOf, UsageError } from '../command.ts';

export function completionOf(commands: Command[]): Command {
  return {
    name: 'completion',
    args: ['bash|zsh|fish', '[WORD…]'],
    help: 'Print a script that completes commands and flags in a shell.',
    settings: [],
    printsNoData: true,
    async run({ positionals: [shell = '', ...words] }) {
      const scripts = { ...SCRIPTS, words: `${nextWords(commands, words).join('\n')}\n` };
      const [, script] = Object.entries(scripts).find(([name]) => name === shell) ?? [];
      if (script === undefined)
        throw new UsageError(`${shell} is no shell; there are ${Object.keys(SCRIPTS).join(', ')}`);
      process.stdout.write(script);
    },
  };
}

export const SCRIPTS = {
  bash: `# bash completion of pqrs: source <(pqrs completion bash)
_pqrs() {
  local IFS=$'\\n'
  COMPREPLY=($("\${COMP_WORDS[0]}" completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _pqrs pqrs
`,
  zsh: `#compdef pqrs
# zsh completion of pqrs: source <(pqrs completion zsh)
_pqrs() {
  local found=("\${(@f)$("$words[1]" completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n $found ]]; then compadd -- $found; else _files; fi
}
if [[ $funcstack[1] == _pqrs ]]; then _pqrs "$@"; else compdef _pqrs pqrs; fi
`,
  fish: `# fish completion of pqrs: pqrs completion fish | source
function __pqrs_words
    set -l typed (commandline -opc)
    $typed[1] completion words -- $typed[2..] (commandline -ct) 2>/dev/null
end
complete -c pqrs -a '(__pqrs_words)'
`,
};

/** What may stand for the last of the words behind `pqrs`; nothing where it may be any text. */
export function nextWords(commands: Command[], words: readonly string[]): string[] {
  const current = words.at(-1) ?? '';
  const typed = words.slice(0, -1);
  const line = typed.filter((word) => !word.startsWith('-')).join(' ');
  const command =
    commands.find(({ name }) => line === name || line.startsWith(`${name} `)) ??
    commands.find(({ name }) => name === 'serve');
  const flags = command === undefined ? [] : flagsOf(command);
  const isValue = flags.some(({ name, kind }) => kind !== 'switch' && typed.at(-1) === `--${name}`);
  if (isValue) return [];
  const isGiven = command?.name === line;
  const choices = isGiven && /^[a-z|]+$/.test(command.args?.[0] ?? '') ? command.args?.[0] : '';
  const start = line === '' ? '' : `${line} `;
  const names = commands.flatMap(({ name }) =>
    name.startsWith(start) ? (name.slice(start.length).split(' ')[0] ?? []) : [],
  );
  const found = current.startsWith('-')
    ? flags.map(({ name }) => `--${name}`)
    : [...new Set([...names, ...(choices ? choices.split('|') : [])])];
  return found.filter((word) => word.startsWith(current));
}
