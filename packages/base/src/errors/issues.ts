import { toJsonPointer } from '../json/pointer-token.js';
import { shorten, takeBeginning } from '../json/shorten.js';
import { replaceInvisible } from '../redaction/invisible-characters.js';
import { isSecretName } from '../redaction/secret-names.js';
import { redactOpaqueWords } from '../redaction/secrets.js';

/** An issue of a value, with its path in the value. */
export interface Issue {
  readonly path: (string | number)[];
  readonly message: string;
}

export interface DescribeOptions {
  /**
   * Maximum number of lines. The last line counts the remaining issues.
   * @default 10
   */
  readonly maxLines?: number;
  /**
   * Maximum length of a line, in characters.
   * @default 240
   */
  readonly maxLength?: number;
}

const HIDDEN_VALUE = '‹hidden›';
const MAX_QUOTED = 60;

/**
 * Formats issues as lines for people and models: `at /city: expected string, got number`. The number and length of the
 * lines are limited. Long quotations are shortened, and probable secrets are hidden.
 */
export function describeIssues(
  issues: readonly Issue[],
  { maxLines = 10, maxLength = 240 }: DescribeOptions = {},
): string {
  const shown = issues.slice(0, maxLines).map(issue => shorten(describeIssue(issue, maxLength), maxLength));
  if (issues.length > maxLines) shown.push(`… and ${issues.length - maxLines} more`);
  return shown.join('\n');
}

function describeIssue({ path, message }: Issue, length: number): string {
  // A peer may have written the message, and the time of each replacement grows with the length of the message.
  let text = replaceInvisible(shorten(message, 4 * length), ' ');
  if (path.some(key => typeof key === 'string' && isSecretName(key))) {
    text = text.replace(/"[^"]*"?|'[^']*'|`[^`]*`/g, HIDDEN_VALUE).replace(/\(was .*\)?$/, `(was ${HIDDEN_VALUE})`);
  }
  text = text.replace(/"([^"]{61,})"?/g, (_, quoted: string) => `"${takeBeginning(quoted, MAX_QUOTED)}…"`);
  const where =
    path.length === 0
      ? 'at the root'
      : `at ${shorten(redactOpaqueWords(replaceInvisible(toJsonPointer(path), ' '), HIDDEN_VALUE), length / 2)}`;
  return `${where}: ${redactOpaqueWords(text, HIDDEN_VALUE)}`;
}
