// Who is signed in. The token stays in this browser: in the tab, or in the browser where its holder
// wants to stay signed in. It never stands in an address that is sent.
import { useEffect, useState } from 'preact/hooks';

const KEY = 'pqrs.token';
const listeners = new Set<() => void>();

/** Takes the token of `#token=…`, the link of the first start, out of the address. */
export function takeTokenFromAddress(): void {
  const found = /^#token=([^&]+)/.exec(location.hash);
  if (!found?.[1]) return;
  history.replaceState(null, '', `${location.pathname}#/overview`);
  signIn(decodeURIComponent(found[1]), false);
}

export function token(): string | null {
  return sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY);
}

export function signIn(text: string, staySignedIn: boolean): void {
  signedOut();
  (staySignedIn ? localStorage : sessionStorage).setItem(KEY, text);
  changed();
}

export function signOut(): void {
  signedOut();
  changed();
}

/** The token, anew after each sign-in and sign-out. */
export function useToken(): string | null {
  const [value, setValue] = useState(token());
  useEffect(() => {
    const follow = () => setValue(token());
    listeners.add(follow);
    return () => void listeners.delete(follow);
  }, []);
  return value;
}

function signedOut(): void {
  sessionStorage.removeItem(KEY);
  localStorage.removeItem(KEY);
}

function changed(): void {
  for (const listener of listeners) listener();
}
