import { isSecretName } from './secret-names.js';

/** Replacement of a secret. */
export const REDACTED = '…';

/** Prefixes of the tokens of well-known providers, and of a JWT. */
const TOKEN_PREFIXES = [
  '[spr]k-|[spr]k_(?:live|test|prod)_|gsk_|xai-|gh[oprsu]_|github_pat_|glpat-|xox[a-z]-|npm_(?=[A-Za-z0-9]{20})',
  'hf_(?=[A-Za-z0-9]{8})|AIza|AKIA|ASIA|ya29\\.|eyJ|SG\\.(?=[\\w-]{16})|whsec_|shp(?:at|ss)_|dop_v1_|pypi-(?=[\\w-]{40})',
].join('|');
const STARTS_AS_TOKEN = new RegExp(`^(?:${TOKEN_PREFIXES})`);
/** Asterisks are part of a token, because providers quote a key with its middle masked. */
const TOKEN = new RegExp(`(?<![A-Za-z0-9])(?:${TOKEN_PREFIXES})[-_.A-Za-z0-9*]{10,}`, 'g');
const PEM = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;
const BEARER =
  /\b(Bearer|DPoP)\s+(?!(?:tokens?|auth\w*|scheme|realm|error|scope|credentials?|challenge|header|access|proofs?)\b)[A-Za-z0-9._~+/=-]{6,}/gi;
/** Other schemes are English words as well, so their credentials must hold a capital, a digit or padding. */
const AFTER_SCHEME = /\b([Bb]asic|BASIC|[Dd]igest|[Tt]oken)\s+(?=[a-z._~+/-]{0,1000}[A-Z0-9=])[A-Za-z0-9._~+/=-]{8,}/g;
const USERINFO = /([a-z][a-z0-9+.-]{0,20}:\/\/)[^/@\s]{1,1000}@/gi;
const NAME_AND_SIGN = /(?<![\w.-])([\w.-]{1,64})["']?(?:=|%3D|\s{0,3}:\s{0,3}(?!\/\/))["']?/gi;
const VALUE = /(?:[^?&\s"',;}#]|\?(?![\w.-]{1,64}=)){1,4000}/y;
const LONG_WORD = /[A-Za-z0-9_+=-]{24,}/g;
const BASE64 = /[A-Za-z0-9+/]{24,}={0,2}/g;
/**
 * The part of an authorization URL after its first parameter. A server prints such a URL so that the user opens it, and
 * its values are random without being secrets.
 */
const IN_AUTHORIZATION_URL = /[?&](?:response_type|client_id|redirect_uri|code_challenge|nonce|state)=\S*$/i;

/** Checks if a word looks random: long, of capitals, small letters and digits, and no path. */
function isRandomLooking(word: string): boolean {
  return word.length >= 24 && /[A-Z]/.test(word) && /[a-z]/.test(word) && (word.match(/\d/g)?.length ?? 0) >= 3;
}

/** Checks if a word is long and random, or has many digits. Digests and ids are among such words. */
const isOpaque = (word: string): boolean =>
  /^[\w+=-]{24,}$/.test(word) && (isRandomLooking(word) || /(?:\d\D*){4}/.test(word));

/** Checks if a whole word is a token by its prefix, however short, or opaque. */
export function isSecretWord(word: string): boolean {
  return STARTS_AS_TOKEN.test(word) || isOpaque(word);
}

/** Removes what is a secret by its own form: tokens, private keys, the credentials of a scheme or a URL. */
export function redactTokens(text: string, mark = REDACTED): string {
  return text
    .replace(PEM, mark)
    .replace(BEARER, `$1 ${mark}`)
    .replace(AFTER_SCHEME, `$1 ${mark}`)
    .replace(USERINFO, `$1${mark}@`)
    .replace(TOKEN, mark);
}

/** Removes tokens, and the values of secret names: `token=x`, `"password": "x"`, `?key=x`. */
export function redactNamedSecrets(text: string): string {
  const clean = redactTokens(text);
  const names = new RegExp(NAME_AND_SIGN);
  let [shown, done] = ['', 0];
  for (let match = names.exec(clean); match !== null; match = names.exec(clean)) {
    VALUE.lastIndex = names.lastIndex;
    if (!isSecretName(match[1] as string) || !VALUE.test(clean)) continue;
    shown += clean.slice(done, names.lastIndex) + REDACTED;
    done = names.lastIndex = VALUE.lastIndex;
  }
  return shown + clean.slice(done);
}

/** Removes tokens and all long words that are random or have many digits. */
export function redactOpaqueWords(text: string, mark = REDACTED): string {
  return redactTokens(text, mark).replace(LONG_WORD, word => (isOpaque(word) ? mark : word));
}

/**
 * Removes from a text everything that looks secret: tokens, values of secret names, and random words. It cannot detect
 * every secret.
 */
export function redactSecrets(text: string): string {
  return redactNamedSecrets(text)
    .replace(BASE64, (word, at, whole) => (/[+=]/.test(word) ? redactRandom(word, at, whole) : word))
    .replace(LONG_WORD, redactRandom);
}

function redactRandom(word: string, at: number, text: string): string {
  return isRandomLooking(word) && !IN_AUTHORIZATION_URL.test(text.slice(Math.max(0, at - 2_000), at + word.length))
    ? REDACTED
    : word;
}

/**
 * Finds the secret value in an argument of a command line, by its name: the index after `--token=` or `Authorization:
 * `, and 0 if the argument follows `--token`. Undefined if no name says that there is a secret.
 */
export function findSecretStart(argument: string, previous: string | undefined): number | undefined {
  const [prefix, name] = /^(-{0,2}[\w.-]+)(?:=|:(?!\/\/)\s*)(?=.)/s.exec(argument) ?? [];
  if (prefix !== undefined && name !== undefined && isSecretName(name)) return prefix.length;
  const isValue = previous !== undefined && /^--?[\w.-]+$/.test(previous) && !argument.startsWith('-');
  return isValue && isSecretName(previous) ? 0 : undefined;
}
