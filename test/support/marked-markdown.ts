// Markdown sources of parts that people write, in any order, with a word of its own in each place
// that holds text: to be looked for in what is read.
import fc from 'fast-check';

/** A part of a source: its name, a number and a choice that make it one of several forms. */
export interface Part {
  name: string;
  form: number;
  choice: boolean;
}

export interface Sketch {
  /** None, that of a document, or that of a story. */
  front: 'none' | 'document' | 'story';
  crlf: boolean;
  parts: readonly Part[];
}

/** A word of a source: the item that it is a part of, null for none, undefined where it may be anywhere. */
export interface MarkedWord {
  word: string;
  owner: string | null | undefined;
}

const LABELS =
  'Status|Priority|Rationale|Tags|Type|Notes|Owner|Source|Verification|Metadata|Description|Assumptions|Risk|Category'.split(
    '|',
  );
const HEADINGS =
  'Notes|Details|Description|Rationale|Bug 1|Test case 1|Design|Open issues|Priority|Dependencies|Scenarios|Happy path|Metadata'.split(
    '|',
  );

function pick(list: readonly string[], at: number): string {
  return list[at % list.length] ?? '';
}

/** Writes a source, and knows which item each word is a part of. */
class Writer {
  readonly lines: string[] = [];
  readonly words: MarkedWord[] = [];
  readonly #open: { depth: number; id: string }[] = [];
  #ids = 0;

  put(...lines: string[]): void {
    this.lines.push(...lines, '');
  }

  id(): string {
    this.#ids += 1;
    return `REQ-${this.#ids}`;
  }

  get owner(): string | null {
    return this.#open.at(-1)?.id ?? null;
  }

  /** The next word. */
  w(owner: string | null | undefined = this.owner): string {
    const word = `zq${this.words.length}x`;
    this.words.push({ word, owner });
    return word;
  }

  /** A word that may be kept with anything. */
  free(): string {
    const word = `zq${this.words.length}x`;
    this.words.push({ word, owner: undefined });
    return word;
  }

  /** The marks of a heading of the depth; what follows is a part of the item with the id, where it is of one. */
  open(depth: number, id?: string): string {
    while ((this.#open.at(-1)?.depth ?? 0) >= depth) this.#open.pop();
    if (id !== undefined) this.#open.push({ depth, id });
    return '#'.repeat(depth);
  }

  /** The marks of a heading within the item that is open. */
  get inner(): string {
    return '#'.repeat(Math.min((this.#open.at(-1)?.depth ?? 1) + 1, 6));
  }
}

type Write = (to: Writer, form: number, choice: boolean) => void;

const PARTS: Record<string, Write> = {
  item(to, form) {
    const id = to.id();
    to.put(`${to.open(1 + (form % 4), id)} ${id}${pick([':', ' -', ' –', ''], form)} T ${to.w()}`);
  },
  'item with a number'(to, form) {
    const id = to.id();
    to.put(`${to.open(1 + (form % 4), id)} ${form % 5}.${form % 3} ${id}: T ${to.w()}`);
  },
  section(to, form) {
    to.put(`${to.open(1 + (form % 3))} Part ${to.w()}`);
  },
  'underlined section'(to, _form, choice) {
    to.open(choice ? 1 : 2);
    to.put(`Part ${to.w()}`, choice ? '====' : '----');
  },
  'heading within'(to, form, choice) {
    to.put(`${to.inner} ${pick(HEADINGS, form)}${choice ? ` ${to.w()}` : ''}`);
  },
  'deep heading'(to, form) {
    const names = ['Scenario 2', 'Given a', 'Priority', 'Notes', 'Acceptance criteria'];
    to.put(`###### ${pick(names, form)} ${to.w()}`);
  },
  text(to, form) {
    for (let at = 0; at <= form % 3; at += 1) to.lines.push(`It shall ${to.w()} and ${to.w()}.`);
    to.put();
  },
  'text before a list'(to) {
    to.put(`The answer shall hold ${to.w()}:`);
  },
  'text with an id'(to, form, choice) {
    to.put(`${choice ? `**ZZ-${form}:**` : `ZZ-${form}:`} The system shall ${to.w()}.`);
  },
  field(to, form, choice) {
    const label = pick(LABELS, form);
    to.put(choice ? `**${label}:** ${to.w()}` : `${label}: ${to.w()}`);
  },
  'field in a text'(to, form) {
    to.put(`Text ${to.w()}.`, `${pick(LABELS, form)}: ${to.w()}`, `after ${to.w()}`);
  },
  'label alone'(to, form, choice) {
    to.put(choice ? `**${pick(LABELS, form)}**` : `${pick(LABELS, form)}:`);
  },
  fields(to, form, choice) {
    for (const at of [0, 1, 2]) {
      const label = pick(LABELS, form + at * (choice ? 1 : 3));
      to.lines.push(choice ? `**${label}**: ${to.w()}  ` : `${label}: ${to.w()}`);
    }
    to.put();
  },
  links(to, form, choice) {
    const label = pick(['Depends on', 'Parent', 'See also', 'Satisfies'], form);
    const marks = choice ? '**' : '';
    to.put(`${marks}${label}:${marks} ZQ-${900 + form}${choice ? `, ${to.w()}` : ''}`);
  },
  criteria(to, form, choice) {
    if (form % 4 === 0) to.put(`${to.inner} Acceptance criteria`);
    else if (form % 4 === 3) to.put(`**Acceptance criteria:** ${to.w()}`);
    else to.put(form % 4 === 1 ? '**Acceptance criteria:**' : 'Acceptance criteria:');
    if (!choice) PARTS.list?.(to, form, choice);
  },
  'criteria in scenarios'(to, _form, choice) {
    to.put('**Acceptance Criteria**', '', '**Scenario 1: good**', `- Given ${to.w()}`);
    to.put(`**${choice ? 'Scenario 2' : 'Notes'}: ${to.w()}**`, `- Given ${to.w()}`);
    to.put(`**Open:** ${to.w()}`);
  },
  'nested criteria'(to) {
    to.put('Acceptance criteria:', '', `1. ${to.w()}`, `   - ${to.w()}`, '', `   more ${to.w()}`);
    to.put(`2. ${to.w()}`, '   ```', `   ${to.w()}`, '   ```');
  },
  scenario(to) {
    const steps = ['Given', 'When', 'Then'].map((keyword) => `- ${keyword} ${to.w()}`);
    to.put(`**Scenario: ${to.w()}**`, ...steps);
  },
  'steps in lines'(to) {
    to.put(...['Given', 'When', 'Then'].map((keyword) => `${keyword} ${to.w()}`));
  },
  'story text'(to) {
    to.put(`As a ${to.w()}`, `I want ${to.w()}`, `so that ${to.w()}.`);
  },
  list(to, form) {
    const mark = pick(['-', '*', '1.', '- [ ]', '- [x]'], form);
    for (let at = 0; at <= form % 3; at += 1) to.lines.push(`${mark} item ${to.w()}`);
    to.put();
  },
  'lists of many marks'(to) {
    to.put(...['-', '*', '+', '1)'].map((mark) => `${mark} ${to.w()}`));
  },
  'list of fields'(to, form, choice) {
    for (const at of [0, 1, 2]) {
      const mark = form % 7 === 0 ? `${at + 1}.` : '-';
      const label = pick(LABELS, form + at * (choice ? 1 : 2));
      to.lines.push(`${mark} ${choice ? `**${label}**` : label}: ${to.w()}`);
    }
    to.put();
  },
  'data in a list'(to) {
    const fields = ['Status', 'Priority', 'Owner'].map((label) => `- ${label}: ${to.w()}`);
    to.put(`${to.inner} Metadata`, '', ...fields);
  },
  'nested list'(to, _form, choice) {
    to.put(`- outer ${to.w()}`, `  - inner ${to.w()}`);
    to.lines.pop();
    to.put(`    ${choice ? `- Status: ${to.w()}` : `text ${to.w()}`}`, `- more ${to.w()}`);
  },
  'lines right below a list'(to, form) {
    to.put(`- item ${to.w()}`, `lazy ${to.w()}`, `${pick(LABELS, form)}: ${to.w()}`);
  },
  'list of references'(to, form, choice) {
    const label = pick(['Covers:', 'See also:', 'Notes:', 'Traces to:'], form);
    const last = choice ? [`- \`ZQ-${form + 1}\` (${to.w()})`] : [];
    to.put(label, '', `- \`ZQ-${form}\``, `- ${to.w()}`, ...last);
  },
  'items in a list'(to, form, choice) {
    for (let at = 0; at <= form % 3; at += 1) {
      const id = to.id();
      to.lines.push(`- ${choice ? `**${id}**` : id}: does ${to.w(id)}`);
      if (form % 4 === 1) to.lines.push(`  - Status: ${to.w(id)}`);
      else if (form % 4 === 2) to.lines.push(`  - plain ${to.w(id)}`);
      else if (form % 4 === 3) to.lines.push('', `  more ${to.w(id)}`, '');
    }
    to.put();
  },
  'items in bold in a list'(to, _form, choice) {
    for (const _ of [0, 1]) {
      const id = to.id();
      const begin = choice ? `**${id}** (Must): ` : `**${id} -** `;
      to.lines.push(`- ${begin}does ${to.w(id)}`, `  **Status:** ${to.w(id)}`);
    }
    to.put();
  },
  'items with their titles in bold in a list'(to, form, choice) {
    for (let at = 0; at <= form % 2; at += 1) {
      const id = to.id();
      const title = `${pick([':', '', ' -'], form)} T ${to.w(id)}`;
      const below = [...(form % 4 < 2 ? [`  then ${to.w(id)}`] : []), `  - plain ${to.w(id)}`];
      const text = form % 5 === 0 ? '' : ` does ${to.w(id)}`;
      to.lines.push(`- **${id}${title}${choice ? '**:' : ':**'}${text}`, ...below);
    }
    to.put();
  },
  'tasks below a label'(to, form, choice) {
    const label = pick(['**Tasks:**', 'To do:', '**Steps**', 'Success criteria:'], form);
    to.put(label, '', `- [ ] ${to.w()}`, `${choice ? '-' : '*'} [x] ${to.w()}`);
  },
  'reason with labels'(to, form, choice) {
    const label = pick(['Fit Criterion', 'Originator', 'Note', 'Risk'], form);
    to.put(`Rationale: as ${to.w()}`, `${label}: ${to.w()}`, `more ${to.w()}`);
    if (choice) to.put(`Labels: \`${to.w()}\` \`${to.w()}\``);
  },
  'item with a symbol'(to, form) {
    const id = to.id();
    const marks = to.open(1 + (form % 4), id);
    to.put(`${marks} ${pick(['✅', '[x]', '🚧'], form)} ${id}: T ${to.w()}`);
  },
  table(to) {
    to.put(`| ${to.w()} | ${to.w()} |`, '|---|---|', `| ${to.w()} | ${to.w()} |`);
  },
  'table of HTML'(to) {
    to.put('<table>', `<tr><td>${to.w()}</td><td title="${to.w()}">x</td></tr>`, '</table>');
  },
  HTML(to, _form, choice) {
    const [tag, inner] = choice ? ['details', 'summary'] : ['div', 'b'];
    to.put(`<${tag}>`, `<${inner}>${to.w()}</${inner}>`, '', `inner ${to.w()}`, '', `</${tag}>`);
  },
  code(to, _form, choice) {
    const fence = choice ? '```' : '~~~';
    to.put(fence, `x = ${to.w()}`, '', `# ${to.w()}`, fence);
  },
  'indented code'(to) {
    to.put(`Text ${to.w()}`, '', `    code ${to.w()}`);
  },
  quote(to) {
    to.put(`> quote ${to.w()}`, '>', `> more ${to.w()}`);
  },
  remark(to, _form, choice) {
    to.put(choice ? '> [!NOTE]' : '!!! note', `${choice ? '> ' : '    '}${to.w()}`);
  },
  'image and link'(to) {
    const image = `![alt ${to.w()}](img-${to.w()}.png "title ${to.w()}")`;
    to.put(`${image} and [link ${to.w()}](http://x/${to.w()} "t ${to.w()}")`);
  },
  'definition and footnote'(to, form) {
    const definition = `[d${form}]: http://y/${to.free()} "t ${to.free()}"`;
    to.put(`See [there ${to.w()}][d${form}] and [^f${form}].`, '', definition);
    to.put(`[^f${form}]: foot ${to.free()}`);
  },
  'broken lines'(to) {
    to.put(`line ${to.w()}  `, `line ${to.w()}\\`, `line ${to.w()}`);
  },
  'text in bold'(to, _form, choice) {
    to.put(`**${to.w()}**`, ...(choice ? [] : [`then ${to.w()}`]));
  },
  'text with a comment'(to) {
    to.put(`text ${to.w()} <!-- hidden --> more ${to.w()}`);
  },
  term(to) {
    to.put(`Term ${to.w()}`, `: meaning ${to.w()}`);
  },
  formula(to) {
    to.put('$$', `a = ${to.w()}`, '$$');
  },
  rule(to) {
    to.put('---');
  },
};

const aPart: fc.Arbitrary<Part> = fc.record({
  name: fc.oneof(
    { weight: 1, arbitrary: fc.constant('item') },
    { weight: 6, arbitrary: fc.constantFrom(...Object.keys(PARTS)) },
  ),
  form: fc.nat(99),
  choice: fc.boolean(),
});

/** Any source. */
export const aSketch: fc.Arbitrary<Sketch> = fc.record({
  front: fc.constantFrom('none', 'none', 'document', 'story'),
  crlf: fc.boolean(),
  parts: fc.array(aPart, { minLength: 1, maxLength: 12 }),
});

/** Writes a source as it is sketched; gives its text, and each of its words. */
export function writeSketch({ front, crlf, parts }: Sketch): {
  text: string;
  words: readonly MarkedWord[];
} {
  const to = new Writer();
  if (front === 'document') {
    const fields = ['title', 'status', 'owner'].map((name) => `${name}: ${to.free()}`);
    to.put('---', ...fields, `tags: [${to.free()}]`, '---');
  } else if (front === 'story') {
    const fields = [`priority: ${to.free()}`, `author: {name: ${to.free()}}`];
    to.put('---', 'id: FM-1', 'kind: story', ...fields, '---');
  }
  for (const { name, form, choice } of parts) PARTS[name]?.(to, form, choice);
  return { text: to.lines.join(crlf ? '\r\n' : '\n'), words: to.words };
}
