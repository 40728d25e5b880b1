import { isSecretName } from './secret-names.js';

/** Text that replaces a secret. */
export const REDACTED = '…';

/** Prefixes of the tokens of well-known providers, and of a JWT. */
const TOKEN_PREFIXES = [
  '[spr]k-|[spr]k_(?:live|test|prod)_|gsk_|xai-|gh[oprsu]_|github_pat_|glpat-|xox[a-z]-|npm_(?=[A-Za-z0-9]{20})',
  'hf_(?=[A-Za-z0-9]{8})|AIza|AKIA|ASIA|ya29\\.|eyJ|SG\\.(?=[\\w-]{16})|whsec_|shp(?:at|ss)_|dop_v1_|pypi-(?=[\\w-]{40})',
].join('|');
const STARTS_AS_TOKEN = new RegExp('^(?:'.concat(TOKEN_PREFIXES, ')'));
/**
 * A token with one of the prefixes. It may contain asterisks, because providers mask the middle of a key that they
 * quote.
 */
const TOKEN = new RegExp(`(?<![A-Za-z0-9])(?:${TOKEN_PREFIXES})[-_.A-Za-z0-9*]{10,}`, 'g');
const PEM = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;
const BEARER =
  /\b(Bearer|DPoP)\s+(?!(?:tokens?|auth\w*|scheme|realm|error|scope|credentials?|challenge|header|access|proofs?)\b)[A-Za-z0-9._~+/=-]{6,}/gi;
/**
 * Credentials after an authentication scheme. Some schemes are also English words, so their credentials must have a
 * capital letter, a digit or padding.
 */
const AFTER_SCHEME = /\b([Bb]asic|BASIC|[Dd]igest|[Tt]oken)\s+(?=[a-z._~+/-]{0,1000}[A-Z0-9=])[A-Za-z0-9._~+/=-]{8,}/g;
// It begins with the text after the scheme, so that a long word is not searched for a scheme at each character.
const USERINFO = /:\/\/(?<=[a-z][a-z0-9+.-]{0,20}:\/\/)[^/@\s]{1,1000}@/gi;
const NAME_AND_SIGN = /(?<![\w.-])([\w.-]{1,64})["']?(?:=|%3D|\s{0,3}:\s{0,3}(?!\/\/))["']?/gi;
/** Values that are no secrets, whatever their name is. */
const CONSTANT = /^(?:true|false|null)$/;
/** A value in quotes may contain spaces and commas. */
const VALUE = /(?<=")(?:[^"\\]|\\.){1,4000}(?=")|(?:[^?&\s"',;}#]|\?(?![\w.-]{1,64}=)){1,4000}/sy;
// A longer word is examined in parts. For a word of megabytes, V8 would exhaust its stack.
const LONG_WORD = /[A-Za-z0-9_+=-]{24,65536}/g;
const BASE64 = /[A-Za-z0-9+/]{24,65536}={0,2}/g;
/**
 * The part of an authorization URL after its first parameter. Servers print such URLs for the user to open. Their
 * values are random but not secret.
 */
const IN_AUTHORIZATION_URL = /[?&](?:response_type|client_id|redirect_uri|code_challenge|nonce|state)=\S*$/i;

/**
 * A word that no pattern above matches: it has no sign or space, and the shortest token has 13 characters. Objects with a
 * million such names are redacted at once.
 */
const SHORT_WORD = /^[\w.-]{0,12}$/;

/** Checks if a word looks random: long, with capital letters, small letters and digits, and not a path. */
function isRandomLooking(word: string): boolean {
  return word.length >= 24 && /[A-Z]/.test(word) && /[a-z]/.test(word) && (word.match(/\d/g)?.length ?? 0) >= 3;
}

/** Checks if a word is long and random, or has many digits. Digests and IDs also match. */
const isOpaque = (word: string): boolean =>
  /^[\w+=-]{24,}$/.test(word) && (isRandomLooking(word) || /(?:\d\D*){4}/.test(word));

/** Checks if a whole word is a token, by its prefix at any length, or by its random form. */
export function isSecretWord(word: string): boolean {
  return STARTS_AS_TOKEN.test(word) || isOpaque(word);
}

/** Removes secrets with a known form: tokens, private keys, and credentials of an authentication scheme or a URL. */
export function redactTokens(text: string, mark = REDACTED): string {
  if (SHORT_WORD.test(text)) return text;
  return text
    .replace(PEM, mark)
    .replace(BEARER, `$1 ${mark}`)
    .replace(AFTER_SCHEME, `$1 ${mark}`)
    .replace(USERINFO, `://${mark}@`)
    .replace(TOKEN, mark);
}

/** Removes tokens, and the values of members whose names mean a secret: `token=x`, `"password": "x"`, `?key=x`. */
export function redactNamedSecrets(text: string): string {
  if (SHORT_WORD.test(text)) return text;
  const clean = redactTokens(text);
  const names = new RegExp(NAME_AND_SIGN);
  let [shown, done] = ['', 0];
  for (let match = names.exec(clean); match !== null; match = names.exec(clean)) {
    VALUE.lastIndex = names.lastIndex;
    if (!isSecretName(match[1] as string) || !VALUE.test(clean)) continue;
    if (CONSTANT.test(clean.slice(names.lastIndex, VALUE.lastIndex))) continue;
    shown += clean.slice(done, names.lastIndex) + REDACTED;
    done = names.lastIndex = VALUE.lastIndex;
  }
  return shown + clean.slice(done);
}

/** Removes tokens, and all long words that look random or have many digits. */
export function redactOpaqueWords(text: string, mark = REDACTED): string {
  return redactTokens(text, mark).replace(LONG_WORD, word => (isOpaque(word) ? mark : word));
}

/**
 * Removes everything from a text that looks secret: tokens, values of secret names, and random words. It cannot detect
 * every secret.
 */
export function redactSecrets(text: string): string {
  // Callers without types pass anything.
  const all = String(text);
  if (SHORT_WORD.test(all)) return all;
  return redactNamedSecrets(all)
    .replace(BASE64, (word, at, whole) => (/[+=]/.test(word) ? redactRandom(word, at, whole) : word))
    .replace(LONG_WORD, redactRandom);
}

function redactRandom(word: string, at: number, text: string): string {
  return isRandomLooking(word) && !IN_AUTHORIZATION_URL.test(text.slice(Math.max(0, at - 2_000), at + word.length))
    ? REDACTED
    : word;
}

/**
 * Finds the start of a secret value in a command-line argument. Returns the index after `--token=` or `Authorization:
 * `, and 0 if the argument follows `--token`. Returns `undefined` if no name marks a secret.
 */
export function findSecretStart(argument: string, previous: string | undefined): number | undefined {
  const [prefix, name] = /^(-{0,2}[\w.-]+)(?:=|:(?!\/\/)\s*)(?=.)/s.exec(argument) ?? [];
  if (prefix !== undefined && name !== undefined && isSecretName(name)) return prefix.length;
  const isValue = previous !== undefined && /^--?[\w.-]+$/.test(previous) && !argument.startsWith('-');
  return isValue && isSecretName(previous) ? 0 : undefined;
}
