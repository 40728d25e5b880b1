/** Phrases that name a secret wherever they appear, also in sentences. */
const CLEAR_PHRASES = [
  '[a-z]*pass ?(?:word|wd|phrase|code|wort)s?|kennwort|contrase[nñ]a|mot de passe|senha|пароль|密码|密碼|パスワード|비밀번호',
  '(?:api|access|secret|private|signing|ssh|encryption|recovery|security|master|account|auth) ?key(?: id| base)?s?',
  '(?:api|access|refresh|id|auth|authorization|bearer|session|security|user) ?tokens?|client ?secrets?|seed ?phrase',
  'credentials?|(?:recovery|security|verification|device|auth|authorization) ?codes?|code ?verifier|connection ?string',
];
/** Phrases for numeric secrets, such as a PIN. */
const CLEAR_NUMBERS = [
  '(?:credit|debit|bank) ?card(?: ?number)?|card ?(?:number|no)|cvv|cvc|pin ?(?:code|number)|social ?security(?: ?number)?',
  't?otp(?: ?code)?|one ?time ?(?:code|password)|(?:2fa|mfa)(?: ?code)?|ssn',
];
/** Single words that name a secret in an identifier or in the label of a field. */
const WORDS = 'pwd|secrets?|jwt|mnemonic';
/** Words that name a secret only at the end of an identifier. Elsewhere they are ordinary English. */
const LAST_WORDS =
  'auth|authorization|authentication|bearer|(?:set ?)?cookies?|pass|session(?: ?id)?|signature|(?:[spr]|pgp|gpg) key';
/** Matches `token` and `key`, except after words that make them a position, an index or public. */
const TOKEN = '(?<!(?:^| )(?:page|next|previous|progress|continuation|cancell?ation|sync|stop|end|start|pad) )token';
const KEY =
  '(?<!(?:^| )(?:public|primary|foreign|sort|partition|issue|cache|row|group|map|hot|host|lookup|object|storage|translation|idempotency|unique|shortcut) )key';
/** Words after a secret name that do not change its meaning: `API_KEY_2`, `passwordConfirmation`. */
const SUFFIX =
  '\\d+|base|value|plain|text|string|json|base64|prod|production|dev|test|staging|live|old|new|confirm|confirmation|repeat';

const compilePattern = (phrases: readonly string[], end = '(?: |$)'): RegExp =>
  new RegExp(`(?:^| )(?:${phrases.join('|')})\\d*${end}`, 'u');

// Bundlers keep a spread, and with it a pattern that a program does not use.
const CLEAR = compilePattern(CLEAR_PHRASES.concat(CLEAR_NUMBERS));
const MENTION = compilePattern(CLEAR_PHRASES.concat(CLEAR_NUMBERS, WORDS, TOKEN, 'pin'));
const NUMBER = compilePattern(CLEAR_NUMBERS.concat('pin'));
const NAME = compilePattern(
  CLEAR_PHRASES.concat(CLEAR_NUMBERS, WORDS, TOKEN, 'pin', LAST_WORDS, KEY),
  `(?: (?:${SUFFIX}))*$`,
);
const MAX_LENGTH = 1_000;

/**
 * Splits an identifier or a text into words in lower case. `apiKey`, `API_KEY`, `--api-key` and `Api Key` all become
 * `api key`.
 */
function toWords(text: string): string {
  return text
    .slice(-MAX_LENGTH)
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase();
}

/**
 * Checks if an identifier names a secret: `Authorization`, `apiKey`, `--client-secret`, `DB_PASSWORD`, but not
 * `monkey`.
 */
export function isSecretName(name: string): boolean {
  return NAME.test(toWords(name));
}

/** Checks if a label mentions a secret anywhere. A secret `number` can be a card number, a PIN or a one-time code. */
export function isSecretLabel(label: string, kind: 'text' | 'number' = 'text'): boolean {
  const words = toWords(label);
  return kind === 'number' ? NUMBER.test(words) : MENTION.test(words) || words === 'key';
}

/** Checks if a sentence contains a phrase that almost always means a secret. */
export function hasSecretPhrase(sentence: string): boolean {
  return CLEAR.test(toWords(sentence));
}
