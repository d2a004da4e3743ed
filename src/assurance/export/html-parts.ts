// Parts of the printed page.

const ENTITIES: Record<string, string> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' },
};

/** A text as content of an element or a quoted attribute; controls become visible. */
export function escapeHtml(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    /[&<>"'\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g,
    (character) => ENTITIES[character] ?? '\ufffd',
  );
}

/** A cell of a table, of a text that is HTML. */
export function cell(html: string, name = ''): string {
  return `<td${name === '' ? '' : ` class="${name}"`}>${html}</td>`;
}

/** Entries that are HTML, one a line, with how many more there are. */
export function joined(entries: readonly string[], most: number): string {
  const shown = entries.slice(0, most).join('<br>');
  return entries.length > most ? `${shown}<br>and ${entries.length - most} more` : shown;
}

/**
 * A table whose heading is repeated on each printed page.
 *
 * @param rows - as HTML
 * @param total - how many rows there would be, where some are left out
 */
export function table(heading: readonly string[], rows: readonly string[], total = 0): string {
  const head = heading.map((one) => `<th scope="col">${one}</th>`).join('');
  const rest =
    total > rows.length
      ? `<p class="rest">The first ${rows.length} of ${total} are shown. All of them are in format=csv; filters by story, status, kind or tag show the others here.</p>`
      : '';
  return `<table><thead><tr>${head}</tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table>${rest}`;
}
