// `pqrs completion`: what a shell offers behind `pqrs` and Tab, made of the commands themselves.
import { type Command, type Flag, flagsOf, requirePositionals, UsageError } from '../command.ts';

const CHOICES = /^[a-z]+(?:\|[a-z]+)+/;

interface Completions {
  /** Words behind `pqrs`; empty for `pqrs` alone. */
  typed: string;
  /** The words that may come next; files where there are none. */
  next: { word: string; help: string }[];
  flags: Flag[];
}

/** The command that prints completion scripts for some commands (and for itself, if it is among them). */
export function completionOf(commands: Command[]): Command {
  const shells = Object.keys(SCRIPTS);
  return {
    name: 'completion',
    usage: shells.join('|'),
    help: 'Print a script that completes commands and flags in a shell.',
    options: {},
    settings: [],
    printsNoData: true,
    async run(call) {
      const [shell = ''] = requirePositionals(call, shells.join('|'));
      process.stdout.write(completionScript(shell, commands));
    },
  };
}

/** @throws UsageError for a shell that is not known */
export function completionScript(shell: string, commands: Command[]): string {
  const script = SCRIPTS[shell];
  if (!script)
    throw new UsageError(`${shell} is no shell; there are ${Object.keys(SCRIPTS).join(', ')}`);
  return script(completionsOf(commands));
}

const SCRIPTS: Record<string, (all: Completions[]) => string> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

function completionsOf(commands: Command[]): Completions[] {
  const groups = new Set(commands.flatMap(({ name }) => name.split(' ').slice(0, -1)));
  const serve = commands.find(({ name }) => name === 'serve');
  return [
    ...commands.map((command) => ({
      typed: command.name,
      next: (CHOICES.exec(command.usage)?.[0].split('|') ?? []).map((word) => ({ word, help: '' })),
      flags: flagsOf(command),
    })),
    ...[...groups].map((group) => ({ typed: group, next: nextWords(commands, group), flags: [] })),
    { typed: '', next: nextWords(commands, ''), flags: serve ? flagsOf(serve) : [] },
  ];
}

function nextWords(commands: Command[], group: string): Completions['next'] {
  const start = group === '' ? '' : `${group} `;
  const found = new Map<string, string>();
  for (const { name, help } of commands.filter((one) => one.name.startsWith(start))) {
    const [word = '', ...rest] = name.slice(start.length).split(' ');
    if (!found.has(word)) found.set(word, rest.length > 0 ? '' : help);
  }
  return [...found].map(([word, help]) => ({ word, help }));
}

function branches(all: Completions[]): string {
  return all
    .map(({ typed, next, flags }) => {
      const pattern = typed === '' ? '*' : `" ${typed} "*`;
      const words = next.map(({ word }) => word).join(' ');
      const names = flags.map(({ name }) => `--${name}`).join(' ');
      const valued = flags.filter(({ kind }) => kind !== 'switch').map(({ name }) => `--${name}`);
      return `    ${pattern}) next='${words}' flags='${names}' valued=' ${valued.join(' ')} ' ;;`;
    })
    .join('\n');
}

function bashScript(all: Completions[]): string {
  return `# bash completion of pqrs: source <(pqrs completion bash)
_pqrs() {
  local IFS=$' \\t\\n' next flags valued
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}"
  case " \${COMP_WORDS[*]:1:COMP_CWORD-1} " in
${branches(all)}
  esac
  COMPREPLY=()
  if [[ $valued == *" $previous "* ]]; then return; fi
  if [[ $current == -* ]]; then next=$flags; fi
  COMPREPLY=($(compgen -W "$next" -- "$current"))
}
complete -o default -F _pqrs pqrs
`;
}

function zshScript(all: Completions[]): string {
  return `#compdef pqrs
# zsh completion of pqrs: source <(pqrs completion zsh)
_pqrs() {
  local next flags valued
  case " \${(j: :)words[2,CURRENT-1]} " in
${branches(all)}
  esac
  if [[ $valued == *" $words[CURRENT-1] "* ]]; then _files
  elif [[ $words[CURRENT] == -* ]]; then compadd -- \${=flags}
  elif [[ -n $next ]]; then compadd -- \${=next}
  else _files
  fi
}
if [[ $funcstack[1] == _pqrs ]]; then _pqrs "$@"; else compdef _pqrs pqrs; fi
`;
}

function fishScript(all: Completions[]): string {
  const lines = all.flatMap(({ typed, next, flags }) => {
    const exactly = `complete -c pqrs -n '__pqrs_typed "${typed}"' -f`;
    // The flags of `pqrs` alone are those of serve, up to the first word of another command.
    const within = `complete -c pqrs -n '__pqrs_${typed === '' ? 'typed' : 'within'} "${typed}"'`;
    return [
      ...next.map(({ word, help }) => `${exactly} -a ${word} -d ${quoted(help)}`),
      ...flags.map(
        ({ name, kind, help }) =>
          `${within} -l ${name}${kind === 'switch' ? '' : ' -r'} -d ${quoted(help)}`,
      ),
    ];
  });
  return `# fish completion of pqrs: pqrs completion fish | source
function __pqrs_typed
    set -l words (commandline -opc)
    test "$words[2..]" = "$argv[1]"
end
function __pqrs_within
    set -l words (commandline -opc)
    string match -q -- " $argv[1] *" " $words[2..] "
end
${lines.join('\n')}
`;
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
