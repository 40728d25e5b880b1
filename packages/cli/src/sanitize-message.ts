/** Characters that a terminal may interpret, or that are invisible. */
const HIDDEN = /(?![\t\n])[\p{C}\p{Zl}\p{Zp}]/u;

/**
 * Makes the message of an error safe for a terminal, because it may contain text of a server. Loads the code for this
 * only if it is needed.
 */
export async function sanitizeMessage(message: string): Promise<string> {
  if (!HIDDEN.test(message)) return message;
  const { sanitizeText } = await import('tenon/host');
  return sanitizeText(message, { lines: true });
}
