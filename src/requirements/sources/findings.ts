// The codes of findings, each a kind of fault with its severity: whatever the readers, the graph and
// the audit find, and no other. The API document and the manual are made from this table.

export type Severity = 'error' | 'warning' | 'info';

export const FINDINGS = {
  addition_absorbed: ['warning', 'a source now holds what was added over the API, in other words'],
  ambiguous_place: ['info', 'an item stands at several places of its documents, or at none'],
  changed_since_validation: ['warning', 'a story is not what its verdict judged'],
  cycle: ['error', 'items refine, derive from or depend on each other in a ring'],
  dangling_reference: ['error', 'a link or a name leads to what no source holds'],
  doctype: ['warning', 'a DOCTYPE or an entity, which is never expanded'],
  duplicate_entry: ['info', 'a link or a scenario is said more than once'],
  duplicate_id: ['error', 'two items have one id: one of them is left out'],
  duplicate_level: ['info', 'two items of a Doorstop document have one level'],
  duplicate_statement: ['warning', 'two items say the same, word for word'],
  edit_conflicted: ['error', 'a source changed what an edit changes too'],
  empty_document: ['warning', 'a document holds nothing'],
  guessed_text: ['warning', 'which attribute of a ReqIF type holds the text had to be guessed'],
  inactive_referenced: ['warning', 'a link leads to an item that is no longer active'],
  invalid_encoding: ['warning', 'bytes that are no characters'],
  invalid_id: ['error', 'what cannot be an id'],
  invalid_link: ['error', 'a link or a containment that cannot be one'],
  invalid_value: ['warning', 'a value that its format does not allow'],
  limit_exceeded: ['warning', 'more than is read of one file'],
  missing_field: ['error', 'a field that its format requires is not there'],
  missing_file: ['warning', 'a file that another one names is not in the set'],
  missing_statement: ['warning', 'an item says nothing'],
  missing_title: ['info', 'an item has no title, where others beside it have one'],
  no_acceptance_criteria: ['warning', 'a story has no acceptance criteria'],
  no_child_links: ['info', 'nothing links to an item, where its document expects it'],
  non_normative_linked: ['warning', 'an item that is not normative has links'],
  non_normative_referenced: ['warning', 'a link leads to an item that is not normative'],
  not_kept: ['warning', 'what a file holds and no reader keeps'],
  orphan: ['warning', 'an item has no parent, where others beside it have one'],
  prefix_mismatch: ['info', 'an item is not named as its document or its link says'],
  reference_cycle: ['error', 'files or parts of them refer to each other in a ring'],
  self_reference: ['error', 'an item links to itself'],
  skipped_level: ['info', 'a level of a Doorstop document is left out'],
  suspect_link: ['warning', 'the target of a link has changed since it was confirmed'],
  uncovered_need: ['info', 'an item needs artifacts that no source of the set could hold'],
  unknown_field: ['error', 'a field that the grammar of the document does not have'],
  unknown_format: ['info', 'a file that no reader reads'],
  unknown_node_type: ['error', 'a node that the grammar of the document does not have'],
  unknown_type: ['warning', 'a type or definition that the file does not hold'],
  unparsed_source: ['error', 'a file, or a part of it, that its parser refuses'],
  unread_id: ['info', 'what looks like an id begins a text that is no item'],
  unreviewed_item: ['warning', 'an item has changed since its review'],
  weak_wording: ['info', 'words that nobody can test'],
  wrong_parent_document: ['info', 'a document or link hangs on a document that is not its parent'],
} as const satisfies Record<string, readonly [Severity, string]>;

export type FindingCode = keyof typeof FINDINGS;

export const FINDING_CODES = Object.keys(FINDINGS) as FindingCode[];

export function severityOf(code: FindingCode): Severity {
  return FINDINGS[code][0];
}
