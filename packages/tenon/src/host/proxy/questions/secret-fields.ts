import type { ViewWarning } from './view-warning.js';

/** Words for what grants access or authorizes payments, as they stand in the name or title of a field. */
const TEXT_SECRETS = [
  'pass ?(word|wd|phrase|code|wort)s?|pwd|kennwort|contrase[nñ]a|mot de passe|senha|пароль|密码|密碼|パスワード|비밀번호',
  'secrets?|credentials?|(api|access|secret|private|signing|ssh|encryption|recovery|security|auth) ?(key|token|code)s?',
  'tokens?|jwt|seed ?phrase|mnemonic',
];
/** These are numbers as well. */
const NUMERIC_SECRETS = [
  '(credit|debit|bank) ?card( ?number)?|card ?(number|no)|cvv2?|cvc2?|pin( ?(code|number))?',
  'otp|one ?time ?(code|password)|2fa( ?code)?|mfa( ?code)?|totp|ssn|social ?security( ?number)?',
];
const compilePatterns = (patterns: readonly string[]) =>
  new RegExp(String.raw`(?<![\p{L}\p{N}])(${patterns.join('|')})(?![\p{L}\p{N}])`, 'iu');
const TEXT_PATTERN = compilePatterns([...TEXT_SECRETS, ...NUMERIC_SECRETS, '^key$']);
const NUMERIC_PATTERN = compilePatterns(NUMERIC_SECRETS);
/** Patterns for a message, which is prose: only phrases that hardly ever occur otherwise. */
const MESSAGE_PATTERN =
  /\b(enter|provide|give|paste|type|supply|send|share|need|input|tell)\b[^.!?]{0,60}\b(pass ?(word|phrase|code)|(api|private|secret|access) ?(key|token)|credentials?|card number|cvv|pin code|seed phrase)\b/i;

/** `userPassword`, `user_password` and `user-password` are words as well. */
function splitWords(text: string): string {
  return text.replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, ' ').replace(/[_\-./:]+/g, ' ');
}

/** Name, title and format of a field. */
export interface FieldDescription {
  readonly name: string;
  /** As it is shown: what is hidden in a name is not in it. */
  readonly label?: string;
  readonly type?: unknown;
  readonly title?: unknown;
  readonly format?: unknown;
}

/** True if a field asks for a secret, by its name, its title, or a format that hides the input. */
export function isSecretField({ name, label, type, title, format }: FieldDescription): boolean {
  if (format === 'password') return true;
  if (type === 'boolean') return false;
  const pattern = type === 'number' || type === 'integer' ? NUMERIC_PATTERN : TEXT_PATTERN;
  return [name, label, title].some(text => typeof text === 'string' && pattern.test(splitWords(text.slice(0, 1_000))));
}

/** True if the message of a form asks for a secret. */
export function doesMessageAskForSecret(message: string): boolean {
  return MESSAGE_PATTERN.test(message.slice(0, 10_000));
}

export function createSecretWarning(server: string, field?: string): ViewWarning {
  const text = `${server} seems to ask for a secret. Servers must not ask for passwords, keys or payment data in a form: what you enter passes through this program, and may be seen by a model.`;
  return { code: 'asks-for-secret', text, ...(field === undefined ? {} : { field }) };
}
