/**
 * Returns the beginning of a text without half of a surrogate pair at its end. Clients in Python and Rust cannot read JSON with
 * such a half, ignore the whole message, and wait for it.
 */
export const takeBeginning = (text: string, maxLength: number): string =>
  text.length > maxLength ? text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '') : text;

/** Shortens a text to a length, with `…` at its end if it is cut. */
export const shorten = (text: string, maxLength = 100): string =>
  text.length > maxLength ? `${takeBeginning(text, Math.max(0, maxLength - 1))}…` : text;
