/** Replacement of a secret. */
export const REDACTED = '…';

const SECRET_NAME =
  /(?:^|[-_.\s])(?:access[-_]?key|api[-_]?key|auth(?:orization)?|bearer|client[-_]?secret|code[-_]verifier|cookies?|credentials?|jwt|key|pass|passphrase|passw(?:or)?d|pin|private[-_]?key|proxy[-_]authorization|pwd|secrets?|session(?:[-_]?id)?|set[-_]cookie|signature|token)$/i;
const AFTER_SCHEME = /\b(Basic|Bearer|DPoP|Digest|Token)\s+[A-Za-z0-9._~+/=-]{8,}/gi;
const TOKEN_PREFIX =
  /(?<![A-Za-z0-9])(?:[spr]k[-_]|gh[oprsu]_|github_pat_|glpat-|xox[abeoprs]-|npm_|hf_|AIza|AKIA|ASIA|ya29\.|eyJ)[-_.A-Za-z0-9]{12,}/g;
const PEM = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;
const USERINFO = /([a-z][a-z0-9+.-]{0,20}:\/\/)[^/@\s]{1,1000}@/gi;
const PAIR = /([?&;#\s"'{,]|^)([\w.-]{1,64})(["']?(?:=|%3D|\s{0,3}:\s{0,3}(?!\/\/))["']?)([^&\s"',;}#]{1,4000})/gi;
const WORD = /[A-Za-z0-9_+=-]{24,}/g;
const BASE64 = /[A-Za-z0-9+/]{24,}={0,2}/g;
/**
 * The part of an authorization URL after its first parameter. A server prints such a URL so that the user opens it, and its values
 * are drawn by lot without being secrets.
 */
const IN_AUTHORIZATION_URL = /[?&](?:response_type|client_id|redirect_uri|code_challenge|nonce|state)=\S*$/i;

/** True for names of secrets: `Authorization`, `apiKey`, `--client-secret`, `DB_PASSWORD`. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name.replace(/([a-z0-9])([A-Z])/g, '$1-$2'));
}

/** True if a word looks random: long, of capitals, small letters and digits, and no path. */
function isRandomLooking(word: string): boolean {
  return word.length >= 24 && /[A-Z]/.test(word) && /[a-z]/.test(word) && (word.match(/\d/g)?.length ?? 0) >= 3;
}

/** Takes out of a text what looks secret. It sees what is common; it cannot see every secret there is. */
export function redactSecrets(text: string): string {
  return text
    .replace(PEM, REDACTED)
    .replace(AFTER_SCHEME, `$1 ${REDACTED}`)
    .replace(USERINFO, `$1${REDACTED}@`)
    .replace(PAIR, (all, before, name, sign) => (isSecretName(name) ? `${before}${name}${sign}${REDACTED}` : all))
    .replace(TOKEN_PREFIX, REDACTED)
    .replace(BASE64, (word, at, whole) => (/[+=]/.test(word) ? redactRandom(word, at, whole) : word))
    .replace(WORD, redactRandom);
}

function redactRandom(word: string, at: number, text: string): string {
  return isRandomLooking(word) && !IN_AUTHORIZATION_URL.test(text.slice(Math.max(0, at - 2_000), at + word.length))
    ? REDACTED
    : word;
}
