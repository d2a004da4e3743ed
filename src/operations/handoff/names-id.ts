// Whether somebody's text names a story.

/** What may stand in an id; behind a mark another id may go on. */
const [LETTER, MARK] = [/[\p{L}\p{N}_]/u, /[-.:~]/];

/** Whether an id stands in a text for itself, and not as a part of a longer one. */
export function namesId(text: string, id: string): boolean {
  if (id === '') return false;
  for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1)) {
    const behind = at + id.length;
    if (!goesOn(text, at - 1, -1) && !goesOn(text, behind, 1)) return true;
  }
  return false;
}

function goesOn(text: string, at: number, step: 1 | -1): boolean {
  const next = text[at] ?? '';
  return LETTER.test(next) || (MARK.test(next) && LETTER.test(text[at + step] ?? ''));
}
