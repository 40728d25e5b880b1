/** The eight operators of RFC 6570, as data. https://www.rfc-editor.org/rfc/rfc6570#appendix-A */

export type Operator = '' | '+' | '#' | '.' | '/' | ';' | '?' | '&';

export interface OperatorTraits {
  /** Written before the first defined variable. */
  readonly first: string;
  /** Written between the defined variables, and between the items of an exploded value. */
  readonly separator: string;
  /** Whether each value comes as `name=value`. */
  readonly named: boolean;
  /** What follows the name of an empty value. */
  readonly ifEmpty: string;
  /** Whether reserved characters and percent-encoded triplets pass through as they are. */
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
