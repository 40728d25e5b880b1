import { TenonError } from '@tenon/base';
import { OPERATORS, type OperatorTraits } from './operators.js';
import type { TemplatePart, Variable } from './parse.js';
import { encodeReserved, encodeUnreserved } from './percent.js';

/** Maximum length of a URI, in characters: 64 Ki. Longer URIs are neither created nor matched. */
export const MAX_URI_LENGTH = 64 * 1024;

export type TemplateScalar = string | number | boolean;
type Nullable<T> = T | null | undefined;

/**
 * Value of a variable. `undefined`, `null`, an empty list and an empty object are undefined in the sense of the RFC and
 * are omitted.
 */
export type TemplateValue = Nullable<
  TemplateScalar | readonly Nullable<TemplateScalar>[] | { readonly [key: string]: Nullable<TemplateScalar> }
>;

export type TemplateValues = { readonly [name: string]: TemplateValue };

/** A value without undefined parts: a text, a list, or pairs. */
type DefinedValue = string | readonly string[] | readonly (readonly [key: string, value: string])[];

const createValueError = (summary: string, hint: string) => new TenonError('template/value', summary, { hint });

/** Expands a template by RFC 6570 §3.2. Throws `template/value` for a value that a URI cannot contain. */
export function expand(parts: readonly TemplatePart[], values: TemplateValues): string {
  let uri = '';
  for (const part of parts) {
    if (typeof part === 'string') uri += part;
    else {
      const traits = OPERATORS[part.operator];
      const pieces = part.variables.flatMap(variable => {
        const { name } = variable;
        const value = toDefinedValue(Object.hasOwn(values, name) ? values[name] : undefined, name);
        return value === undefined ? [] : [expandVariable(traits, variable, value)];
      });
      if (pieces.length > 0) uri += traits.first + pieces.join(traits.separator);
    }
    if (uri.length > MAX_URI_LENGTH) {
      throw createValueError(`the expanded URI is longer than ${MAX_URI_LENGTH} characters`, 'shorten the values');
    }
  }
  return uri;
}

/**
 * Matches one character. Where percent-encoded triplets are kept, the triplets of one UTF-8 sequence count as one (RFC
 * 6570 §2.4.1).
 */
const TRIPLET_OR_CHARACTER =
  /%[CD][\dA-F](?:%[89AB][\dA-F])|%E[\dA-F](?:%[89AB][\dA-F]){2}|%F[0-7](?:%[89AB][\dA-F]){3}|%[\dA-F]{2}|./gisu;

function expandVariable(traits: OperatorTraits, { name, explode, prefix }: Variable, value: DefinedValue): string {
  const encodeText = (text: string) => {
    try {
      return traits.reserved ? encodeReserved(text) : encodeUnreserved(text);
    } catch {
      throw createValueError(
        `the value of "${name}" has an unpaired surrogate, which UTF-8 cannot encode`,
        'remove the unpaired surrogate',
      );
    }
  };
  const formatPair = (label: string, text: string) => label + (text === '' ? traits.ifEmpty : `=${text}`);
  if (typeof value === 'string') {
    let shown = value;
    if (prefix !== undefined) {
      const characters = traits.reserved ? (value.match(TRIPLET_OR_CHARACTER) ?? []) : [...value];
      shown = characters.slice(0, prefix).join('');
    }
    const text = encodeText(shown);
    return traits.named ? formatPair(name, text) : text;
  }
  if (prefix !== undefined) {
    throw createValueError(
      `the variable "${name}" has a prefix length of ${prefix} and cannot be a list`,
      'pass one string',
    );
  }
  if (!explode) {
    const joined = value.flat().map(encodeText).join(',');
    return traits.named ? formatPair(name, joined) : joined;
  }
  const items = value.map(item => {
    if (typeof item === 'string') return traits.named ? formatPair(name, encodeText(item)) : encodeText(item);
    const [key, text] = [encodeText(item[0]), encodeText(item[1])];
    return traits.named ? formatPair(key, text) : `${key}=${text}`;
  });
  return items.join(traits.separator);
}

function toDefinedValue(value: TemplateValue, name: string): DefinedValue | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object') return toText(value, name);
  const isDefined = (item: unknown) => item !== undefined && item !== null;
  const defined = Array.isArray(value)
    ? value.filter(isDefined).map(item => toText(item, name))
    : Object.entries(value)
        .filter(([, item]) => isDefined(item))
        .map(([key, item]) => [key, toText(item, name)] as const);
  return defined.length === 0 ? undefined : (defined as DefinedValue);
}

function toText(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw createValueError(
    `invalid value of type ${typeof value} for the variable "${name}"`,
    'pass a string, number or boolean, or a flat array or object of these',
  );
}
