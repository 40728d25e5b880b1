/** Warning that the user should see before the decision. */
export interface ViewWarning {
  /** Stable code for programs. */
  readonly code:
    | 'not-https'
    | 'userinfo'
    | 'ip-address'
    | 'local'
    | 'port'
    | 'punycode'
    | 'mixed-scripts'
    | 'lookalike'
    | 'nested-domain'
    | 'rewritten'
    | 'long'
    | 'link-in-text'
    | 'asks-for-secret'
    | 'left-out'
    | 'unknown-field';
  /** Text for the user. */
  readonly text: string;
  /** Name of the affected field. Absent if the warning is about the whole form. */
  readonly field?: string;
}

/**
 * Makes a text of a server safe to display: removes control characters, directional characters and invisible
 * characters.
 */
export type SafeText = (text: string) => string;

/** Maximum length of a server's text, in characters. */
export const MAX_MESSAGE = 4_000;
export const MAX_LABEL = 200;

/**
 * Prepares a text of a server for display, and limits its length. Returns an empty text for a value that is not a
 * string.
 */
export function sanitizeForView(text: unknown, safe: SafeText, most: number): string {
  if (typeof text !== 'string') return '';
  // The input limit is twice the output limit, because removed invisible characters must not displace visible text.
  const shown = safe(text.slice(0, 2 * most));
  return shown.length > most || text.length > 2 * most ? `${shown.slice(0, most).trimEnd()}…` : shown;
}

/** Maximum number of characters that are searched for links. */
const MAX_SEARCHED = 100_000;
const LINK = /\b(?:https?|ftp|file|data|javascript):|\bwww\.|\]\(/i;

/** Creates warnings about links in a text. A user interface must not make them clickable. */
export function createLinkWarnings(text: unknown, field?: string): ViewWarning[] {
  if (!LINK.test(String(text).slice(0, MAX_SEARCHED))) return [];
  const warningText =
    'The text contains a link. It is shown as text only: do not follow it without knowing where it leads.';
  return [{ code: 'link-in-text', text: warningText, ...(field === undefined ? {} : { field }) }];
}
