// What the links of an item of a Markdown source lead to: the ids that its fields name, and the
// addresses and definitions that are kept with it.
import { idsIn } from './item-ids.ts';
import { fold } from './markdown-blocks.ts';
import { isElsewhere } from './markdown-content.ts';
import type { Definitions } from './markdown-definitions.ts';
import type { Draft } from './markdown-draft.ts';
import { withoutComments } from './markdown-references.ts';
import type { SourceItem, SourceLink } from './model.ts';
import { linkType } from './openfasttrace-links.ts';
import type { FileNotes } from './source-result.ts';

/** The address of a link, and the label of one that is defined elsewhere. */
const ADDRESS = /\]\(((?:[^()]|\([^()]*\))*)\)/g;
const LABEL = /\]\[([^[\]]+)\]/g;
const NOTHING = /^(?:none|nothing|n\/?a|-+|\u2013|\u2014|tb[dc])?[.]?$/i;

/** The links that the values of fields name; what else these say is kept, or told. */
export function fieldLinks(draft: Draft, definitions: Definitions, notes: FileNotes): SourceLink[] {
  const { item, references } = draft;
  return references.flatMap(({ type: named, label, value: { raw, lines } }) => {
    const type = /^covers$/i.test(label) ? coverType(item.id) : named;
    const text = fold(raw);
    const visible = withoutComments(raw);
    const said = fold(visible);
    const isNothing = NOTHING.test(said);
    let leadsAway = false;
    // Neither an address nor the label of one is a second id.
    const shown = visible
      .replace(ADDRESS, (link, address: string) => {
        if (isElsewhere(address)) leadsAway = true;
        return `]${link.replace(/[^\n]+/g, '')}`;
      })
      .replace(LABEL, (link, own: string) => {
        if (definitions.linkOf(own) === undefined) return link;
        leadsAway = true;
        return `]${link.replace(/[^\n]+/g, '')}`;
      });
    const found = shown.split('\n').map(idsIn);
    if (!isNothing && found.every(({ ids }) => ids.length === 0)) {
      const detail = `${label} of ${item.id} names no id: ${text.slice(0, 200)}`;
      notes.lose('invalid_reference', lines[0] ?? item.line, detail, { itemId: item.id });
    }
    const rest = found.map((one) => one.rest).join(' ');
    const isMore = !isNothing && rest.replace(/\b(?:and|or|und)\b/g, '').trim() !== '';
    if (isMore || leadsAway || said !== text) keep(item, label, text);
    draft.said.push(text);
    return found.flatMap(({ ids }, at) => {
      const place = { path: item.path, line: lines[at] ?? lines[0] ?? item.line };
      return ids.map((to): SourceLink => ({ from: item.id, to, type, ...place, item }));
    });
  });
}

/** What covering means for an item: its id may say the kind of artifact that it is. */
function coverType(id: string): SourceLink['type'] {
  return linkType(/^([A-Za-z]+)~/.exec(id)?.[1] ?? '');
}

/** Keeps what a field says as an attribute of its label. */
export function keep(item: SourceItem, label: string, text: string): void {
  const before = item.attributes[label];
  item.attributes = {
    ...item.attributes,
    [label]: typeof before === 'string' ? `${before}\n${text}` : text,
  };
}

/** Ends the statement with the definitions that the item uses, wherever in the file they stand. */
export function keepDefinitions({ item, said }: Draft, definitions: Definitions): void {
  const { title, statement, rationale, acceptance } = item;
  const used = definitions.usedIn([title, statement, rationale ?? '', ...acceptance].join('\n'));
  const kept = new Set(used);
  const others = definitions.usedIn(said.join('\n')).filter((one) => !kept.has(one));
  // What states nothing is not to look as if it did.
  const apart = statement === '' ? [...used, ...others] : others;
  if (statement !== '' && used.length > 0) {
    item.statement = `${statement}\n\n${used.map(({ raw }) => raw).join('\n')}`;
  }
  if (apart.length === 0) return;
  const text = apart.map(({ raw }) => raw).join('\n');
  // A file may have a field of that name.
  const name = item.attributes.definitions === undefined ? 'definitions' : 'link definitions';
  item.attributes = { ...item.attributes, [name]: text };
}

/** Keeps the address that the id is a link to by its label; of a label that means nothing, itself. */
export function keepAddress({ item, idLabel }: Draft, definitions: Definitions): void {
  if (idLabel === undefined || item.attributes.url !== undefined) return;
  const definition = definitions.use(idLabel === '' ? item.id : idLabel);
  if (definition) item.attributes = { ...item.attributes, url: definition.address };
  else if (idLabel !== '' && idLabel !== item.id) {
    item.attributes = { ...item.attributes, label: idLabel };
  }
}
