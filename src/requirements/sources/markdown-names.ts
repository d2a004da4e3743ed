// Names by which people part what a Markdown source says of an item: headings of its own data, labels
// of data that is no field, and parts that are neither criteria nor such data.

/** What may stand before the name of a part without making it another. */
const BEFORE =
  '(?:(?:general|basic|additional|further|more|other|technical|implementation|functional|detailed|full|story|user story|requirement|item)\\s+)?';

/** Names of what has nothing but data of an item below it. */
const DATA_ALONE = new RegExp(
  `^${BEFORE}(?:${[
    ...['meta', 'meta ?data', 'details?', 'attributes?', 'properties', 'info', 'information'],
    ...['identification', 'classification', 'management', 'planning', 'tracking', 'traceability'],
    ...['tracing', 'traces?', 'relations?', 'relationships?', 'links?', 'references?'],
    ...['dependenc(?:y|ies)'],
  ].join('|')})$`,
  'i',
);

/** Names of other parts in which an item goes on to speak of itself. */
const OWN_TEXT = new RegExp(
  `^${BEFORE}(?:${[
    ...['general', 'header', 'data', 'fields?', 'estimat(?:e|es|ion)', 'descriptions?', 'summary'],
    ...['overview', 'introduction', 'abstract', 'background', 'context', 'motivation', 'purpose'],
    ...['goals?', 'objectives?', 'narrative', 'story', 'user story', 'statement', 'text'],
    ...['definition', 'content', 'requirements?', 'specification', 'business value', 'value'],
    ...['notes?', 'remarks?', 'comments?'],
  ].join('|')})$`,
  'i',
);

/** Labels of what is often said of an item beside its fields. */
const OTHER_DATA = new RegExp(
  `^(?:${[
    ...['(?:time )?estimat(?:e|ed|es|ion)', '(?:estimated )?(?:story )?points?', 'effort', 'size'],
    ...['complexity', '(?:product |process )?owner', 'authors?', 'assignees?', 'assigned to'],
    ...['reporter', 'responsible', 'stakeholders?', 'actors?', 'personas?', 'reviewers?'],
    ...['approved by', 'version', 'revision', 'release', 'milestone', 'sprint', 'iteration'],
    ...['phase', 'epic', 'features?', 'components?', 'modules?', 'area', 'categor(?:y|ies)'],
    ...['team', 'project', 'source', 'origin', 'created(?: at| on| by)?', 'date'],
    ...['(?:last )?updated(?: at| on| by)?', 'due(?: date)?', 'deadline', 'risks?', 'severity'],
    ...['business value', 'verification(?: method)?', 'uid', 'ticket', 'issue', 'jira'],
    ...['descriptions?', 'summary', 'story', 'user story', 'notes?', 'comments?'],
  ].join('|')})$`,
  'i',
);

/** Parts of an item that end what stands before them. */
const OTHER_PART = new RegExp(
  `^${BEFORE}(?:${[
    ...['open (?:issues?|questions?|points?|items?)', 'questions?', 'issues?', 'out of scope'],
    ...['in scope', 'scope', 'non[- ]goals?', '(?:sub-?)?tasks?', 'to-?dos?', 'steps', 'plan'],
    ...['definition of (?:done|ready)', 'do[dr]', 'assumptions?', 'constraints?', 'risks?'],
    ...['design', 'ui', 'ux', 'ui/ux', 'mock-?ups?', 'wireframes?', 'architecture', 'resources?'],
    ...['attachments?', 'test (?:cases?|plan|data|notes|strategy)', 'tests', 'testing'],
    ...['considerations?', 'implementation', 'files?', 'affected (?:files|parts)', 'history'],
    ...['change ?log', 'changes', 'decisions?', 'discussion', 'hints?', 'warnings?', 'see'],
  ].join('|')})$`,
  'i',
);

/** A name with a number, symbols or marks around it: `2.1 Details:`, `**Details**`. */
const DRESSED = /^[^\p{L}]*(\p{L}(?:[\p{L} /-]*\p{L})?)[^\p{L}\p{N}()]*$/u;
const MOST_NAME = 120;

function bareName(text: string): string {
  if (text.length > MOST_NAME) return '';
  return (DRESSED.exec(text)?.[1] ?? '').replace(/\s+/g, ' ');
}

/** Whether a heading or a label is a usual name for data alone of the item that it stands in. */
export function isDataAlone(text: string): boolean {
  return DATA_ALONE.test(bareName(text));
}

/** Whether a heading is a usual name for data or text of the item that it stands in. */
export function isOwnPart(text: string): boolean {
  const name = bareName(text);
  return DATA_ALONE.test(name) || OWN_TEXT.test(name);
}

/** Whether a label is one of data that is often given for an item, and no field. */
export function isOtherData(label: string): boolean {
  return OTHER_DATA.test(bareName(label));
}

/** Whether a label is a usual name for a part of an item that is none of its criteria. */
export function isOtherPart(label: string): boolean {
  const name = bareName(label);
  return [OTHER_PART, DATA_ALONE, OWN_TEXT, OTHER_DATA].some((names) => names.test(name));
}

/** A plain label at the beginning of a line: one to three words and a colon. */
const PLAIN_LABEL = /^ {0,3}(\p{Lu}[\p{L}\p{N}-]{0,30}(?: [\p{L}\p{N}-]{1,30}){0,2}):(?=\s|$)/u;
/** Labels of what is of the text around it. */
const REMARK =
  /^(?:notes?|nb|remarks?|comments?|examples?|hints?|tips?|warnings?|caution|important|reasons?|because|background|context|motivation|benefits?|problems?|pros?|cons?|result|consequences?|conclusion|see|see also|quote|question|answer)$/i;
const FIT = /^fit criteri(?:on|a)$/i;

/**
 * Whether a line begins with a plain label of other data, each of its words with a capital, or as such
 * data is often called; one such as "Note" is none.
 */
export function isDataLine(line: string): boolean {
  const label = PLAIN_LABEL.exec(line)?.[1];
  if (label === undefined || REMARK.test(label)) return false;
  return (
    label.split(' ').every((word) => /^\p{Lu}/u.test(word)) || FIT.test(label) || isOtherData(label)
  );
}
