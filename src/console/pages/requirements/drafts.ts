// What was written and not sent: it lasts as long as the tab.

const keyOf = (name: string) => `pqrs.draft.${name}`;

export function readDraft<T>(name: string): T | undefined {
  const text = sessionStorage.getItem(keyOf(name));
  return text === null ? undefined : (JSON.parse(text) as T);
}

export function writeDraft(name: string, value: unknown): void {
  sessionStorage.setItem(keyOf(name), JSON.stringify(value));
}

export function dropDraft(name: string): void {
  sessionStorage.removeItem(keyOf(name));
}
