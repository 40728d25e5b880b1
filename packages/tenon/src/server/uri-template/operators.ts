/** The eight operators of RFC 6570, as data. https://www.rfc-editor.org/rfc/rfc6570#appendix-A */

export type Operator = '' | '+' | '#' | '.' | '/' | ';' | '?' | '&';

export interface OperatorTraits {
  /** Written before the first defined variable. */
  readonly first: string;
  /** Written between the defined variables, and between the items of an exploded value. */
  readonly separator: string;
  /** True if each value has the form `name=value`. */
  readonly named: boolean;
  /** Text after the name of an empty value. */
  readonly ifEmpty: string;
  /** True if reserved characters and percent-encoded triplets pass unchanged. */
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

/** Characters that mean nothing yet and are kept for a later version of the RFC (§2.2). */
export const RESERVED_OPERATORS = '=,!@|';
