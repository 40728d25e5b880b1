import { createExcerpt, findSecretStart, isSecretName, isSecretWord, redactTokens } from '@tenon/base';
import { MAX_DEFAULTS, parseReferences, type VariableReference } from './variable-references.js';

/** Replacement of a secret. */
const MASK = '••••';
/** Maximum number of characters of a value that are shown. */
const MAX_SHOWN = 400;

/** Tells if a text contains a variable with a secret name, an input that the user types, or the content of a file. */
export function hasSecretReference(text: string): boolean {
  return listReferences(text).some(({ kind, name }) => kind === 'input' || kind === 'file' || isSecretName(name));
}

/** Lists the variables of a text, including those in their defaults, up to the depth at which they are resolved. */
export function listReferences(text: string, depth = 0): VariableReference[] {
  return parseReferences(text).flatMap(each => {
    if (typeof each === 'string') return [];
    const { fallback } = each;
    return [each, ...(fallback === undefined || depth > MAX_DEFAULTS ? [] : listReferences(fallback, depth + 1))];
  });
}

/** Masks a value except for the names of its variables. */
export function maskValue(text: string): string {
  const pieces = parseReferences(text).map(each => {
    if (typeof each === 'string') return MASK;
    if (each.kind === 'unknown') return MASK;
    const name = each.kind === 'predefined' ? each.name : `${each.kind}:${each.name}`;
    return each.fallback === undefined ? `\${${name}}` : `\${${name}:-${MASK}}`;
  });
  return shortenText(pieces.join(''));
}

/** Masks the secrets of an argument: the value of `--token`, a key, the query of a URL. */
export function maskArgument(argument: string, before: string | undefined): string {
  // The rest is not shown, and the duration of the patterns depends on the length.
  const text = argument.slice(0, MAX_SHOWN + 1);
  const start = findSecretStart(text, before);
  if (start !== undefined) return shortenText(`${text.slice(0, start).trimEnd()}${maskValue(text.slice(start))}`);
  if (text.split(/[\s=:,"']+/).some(isSecretWord)) return maskValue(text);
  return shortenText(redactTokens(text.replace(/[a-z][\w+.-]*:\/\/[^\s"']+/gi, maskUrl), MASK));
}

/** Masks the values of the query, the user information and the fragment of a URL. */
export function maskUrl(url: string): string {
  const text = url.slice(0, MAX_SHOWN + 1);
  const start = text.search(/[?#]/);
  const [place, query] = start < 0 ? [text, ''] : [text.slice(0, start), text.slice(start)];
  const shown = place.replace(/^([a-z][\w+.-]*:\/\/)[^/]*@/i, `$1${MASK}@`).split('/');
  const parts = shown.map(part => (isSecretWord(part) ? MASK : part));
  return shortenText(parts.join('/') + query.replace(/#.*$/, `#${MASK}`).replace(/=[^&#]*/g, `=${MASK}`));
}

/** Escapes and shortens a text for display. */
export function shortenText(text: string): string {
  return createExcerpt(text, MAX_SHOWN);
}
