import { MAX_DEFAULTS, parseReferences, type VariableReference } from './variable-references.js';

/** Stands where a secret is. */
const MASK = '••••';
/** Maximum number of characters of a value that are shown. */
const MAX_SHOWN = 400;

const SECRET_NAME = /key|token|secret|passw|pwd|auth|credential|cookie|session|private|signature|bearer/i;
/** Prefixes of the tokens of well-known providers, and text that looks random. */
const SECRET_VALUE =
  /^(sk|pk|rk)[-_]|^gh[opusr]_|^github_pat_|^glpat-|^xox[a-z]-|^AKIA|^eyJ|^AIza|^npm_|^hf_|^(?=.*\d)(?=.*[A-Za-z])[\w+=-]{24,}$/;

/** True if a value of this name is most likely secret. */
const isSecretName = (name: string): boolean => SECRET_NAME.test(name);

/** True if a text refers to a secret, or asks the user for one. */
export function hasSecretReference(text: string): boolean {
  return listReferences(text).some(({ kind, name }) => kind === 'input' || isSecretName(name));
}

/** The variables that a text is filled in from, those in defaults too, as deep as they are filled in. */
export function listReferences(text: string, depth = 0): VariableReference[] {
  return parseReferences(text).flatMap(each => {
    if (typeof each === 'string') return [];
    const { fallback } = each;
    return [each, ...(fallback === undefined || depth > MAX_DEFAULTS ? [] : listReferences(fallback, depth + 1))];
  });
}

/** A value of which nothing may be seen but which variables it is made of. */
export function maskValue(text: string): string {
  const pieces = parseReferences(text).map(each => {
    if (typeof each === 'string') return MASK;
    if (each.kind === 'unknown') return MASK;
    const name = each.kind === 'predefined' ? each.name : `${each.kind}:${each.name}`;
    return each.fallback === undefined ? `\${${name}}` : `\${${name}:-${MASK}}`;
  });
  return shortenText(pieces.join(''));
}

/** An argument, without what it seems to hold of secrets: the value of `--token`, a key, what stands behind a `?`. */
export function maskArgument(argument: string, before: string | undefined): string {
  // More is not shown, and the patterns take their time.
  const text = argument.slice(0, MAX_SHOWN + 1);
  const named = /^-{0,2}([\w-]+)[=:](?!\/\/)/.exec(text);
  if (before !== undefined && /^--?[\w-]+$/.test(before) && isSecretName(before)) return maskValue(text);
  if (named && isSecretName(named[1] as string))
    return shortenText(`${named[0]}${maskValue(text.slice(named[0].length))}`);
  if (text.split(/[\s=:,"']+/).some(part => SECRET_VALUE.test(part))) return maskValue(text);
  return shortenText(text.replace(/[a-z][\w+.-]*:\/\/[^\s"']+/gi, maskUrl));
}

/** A URL without the values of its query, its name and password, and its fragment. */
export function maskUrl(url: string): string {
  const text = url.slice(0, MAX_SHOWN + 1);
  const start = text.search(/[?#]/);
  const [place, query] = start < 0 ? [text, ''] : [text.slice(0, start), text.slice(start)];
  const shown = place.replace(/^([a-z][\w+.-]*:\/\/)[^/]*@/i, `$1${MASK}@`).split('/');
  const parts = shown.map(part => (SECRET_VALUE.test(part) ? MASK : part));
  return shortenText(parts.join('/') + query.replace(/#.*$/, `#${MASK}`).replace(/=[^&#]*/g, `=${MASK}`));
}

/** Makes any text safe to show: escaped and shortened. */
export function shortenText(text: string): string {
  const cut = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  return cut.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, char => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}
