// Whole tokens among the arguments of a command, where only the id of one belongs: their secrets are
// not to be repeated.

const WHOLE_TOKEN = /pqrs_([0-9a-z]{26})_[0-9a-z]+/gi;

/** The id of a token that is given whole; undefined for what is no whole token. */
export function idOfWholeToken(text: string): string | undefined {
  const [match] = text.trim().matchAll(WHOLE_TOKEN);
  return match?.[0] === text.trim() ? `tok_${match[1]}` : undefined;
}

/** A text for people, with the secrets of the tokens in it left out. */
export function withoutSecrets(text: string): string {
  return text.replace(WHOLE_TOKEN, 'pqrs_$1_…');
}
