import { checkArray, checkString, redactSecrets, replaceInvisible, requireArgument, takeBeginning } from '@tenon/base';

/** Maximum length of an excerpt, in characters. */
const MAX_EXCERPT = 300;
/** Maximum number of characters that are searched for secrets. A longer text is cut first. */
const MAX_LOOKED_AT = 4_096;

/**
 * Creates an excerpt of a model provider's text for an error: at most 300 characters, one line, without secrets.
 *
 * @param keys Secrets to remove.
 */
export function formatErrorExcerpt(text: string, keys: readonly string[] = []): string {
  requireArgument('`text` of formatErrorExcerpt', text, checkString);
  requireArgument('`keys` of formatErrorExcerpt', keys, checkArray(checkString));
  let shown = text.slice(0, MAX_LOOKED_AT);
  for (const key of keys) if (key !== '') shown = shown.replaceAll(key, '‹hidden›');
  // A key that was cut in half is at the end, outside the excerpt.
  shown = redactSecrets(replaceInvisible(shown, ' ')).trim();
  return shown.length > MAX_EXCERPT ? `${takeBeginning(shown, MAX_EXCERPT)}…` : shown;
}
