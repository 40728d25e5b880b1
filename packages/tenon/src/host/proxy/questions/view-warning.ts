/** Something that the user should know before answering. */
export interface ViewWarning {
  /** Stable, made for programs. */
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
  /** Made for people. */
  readonly text: string;
  /** The field that it is about. */
  readonly field?: string;
}

/** Makes a text of a server safe to show: no control characters, no directions, nothing hidden. */
export type SafeText = (text: string) => string;

/** Maximum length of a server's text, in characters. */
export const MAX_MESSAGE = 4_000;
export const MAX_LABEL = 200;

/** Prepares a text of a server for display, with limited length. A value that is not a string becomes `undefined`. */
export function sanitizeForView(text: unknown, safe: SafeText, most: number): string {
  if (typeof text !== 'string') return '';
  // Twice as much goes in as comes out: what is hidden in between must not push the rest out.
  const shown = safe(text.slice(0, 2 * most));
  return shown.length > most || text.length > 2 * most ? `${shown.slice(0, most).trimEnd()}…` : shown;
}

/** Characters in which links are looked for. */
const MAX_SEARCHED = 100_000;
const LINK = /\b(?:https?|ftp|file|data|javascript):|\bwww\.|\]\(/i;

/** Links in texts are not to be followed: who shows a view makes none of them clickable. */
export function createLinkWarnings(text: unknown, field?: string): ViewWarning[] {
  if (!LINK.test(String(text).slice(0, MAX_SEARCHED))) return [];
  const warningText =
    'The text contains a link. It is shown as text only: do not follow it without knowing where it leads.';
  return [{ code: 'link-in-text', text: warningText, ...(field === undefined ? {} : { field }) }];
}
