/**
 * The eight operators of RFC 6570.
 * @see https://www.rfc-editor.org/rfc/rfc6570#appendix-A
 */

export type Operator = '' | '+' | '#' | '.' | '/' | ';' | '?' | '&';

export interface OperatorTraits {
  /** Text before the first defined variable. */
  readonly first: string;
  /** Text between the defined variables, and between the items of an exploded value. */
  readonly separator: string;
  /** True if each value has the form `name=value`. */
  readonly named: boolean;
  /** Text after the name of an empty value. */
  readonly ifEmpty: string;
  /** True if reserved characters and percent-encoded triplets stay unchanged. */
  readonly reserved: boolean;
}

const createTraits = (
  first: string,
  separator: string,
  named = false,
  ifEmpty = '',
  reserved = false,
): OperatorTraits => ({
  first,
  separator,
  named,
  ifEmpty,
  reserved,
});

export const OPERATORS: Readonly<Record<Operator, OperatorTraits>> = {
  '': createTraits('', ','),
  '+': createTraits('', ',', false, '', true),
  '#': createTraits('#', ',', false, '', true),
  '.': createTraits('.', '.'),
  '/': createTraits('/', '/'),
  ';': createTraits(';', ';', true),
  '?': createTraits('?', '&', true, '='),
  '&': createTraits('&', '&', true, '='),
};

/** Operators that the RFC reserves for later versions (§2.2). */
export const RESERVED_OPERATORS = '=,!@|';
