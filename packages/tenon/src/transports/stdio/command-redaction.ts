import { decodeComponent, findSecretStart, REDACTED, redactSecrets } from '@tenon/base';

const MAX_LENGTH = 200;
const MIN_SECRET_LENGTH = 4;

/** Formats a command line for an error. Secret values are removed, and the text is one line of at most 200 characters. */
export function redactCommand(command: string, args: readonly string[] = []): string {
  const redactedArgs = args.map((arg, index) => {
    const start = findSecretStart(arg, args[index - 1]);
    return start === undefined ? redactSecrets(arg) : `${arg.slice(0, start)}${REDACTED}`;
  });
  const words = [command, ...redactedArgs].map(word => (/\s/.test(word) ? `"${word.replace(/\s+/g, ' ')}"` : word));
  const line = words.join(' ');
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}${REDACTED}` : line;
}

/** Userinfo of a URL, also without a scheme. */
const USERINFO = /^(?:[a-z][a-z0-9+.-]*:\/\/)?([^/@\s:]*):([^/@\s]*)@/i;

/** Returns the texts that reveal a secret value: the value, and the password of a URL, as it is written and decoded. */
export function listSecretTexts(value: string): readonly string[] {
  const [, , password] = USERINFO.exec(value) ?? [];
  if (password === undefined) return [value];
  return [value, password, decodeComponent(password)];
}

/** Removes the given values from a text. A server may print its environment when it fails. */
export function redactValues(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret.length >= MIN_SECRET_LENGTH) clean = clean.replaceAll(secret, REDACTED);
  }
  return clean;
}
