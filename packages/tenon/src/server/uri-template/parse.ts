import { OPERATORS, type Operator, RESERVED_OPERATORS } from './operators.js';
import { encodeReserved } from './percent.js';

/** Maximum length of a template, in UTF-16 code units: 8 Ki. */
export const MAX_TEMPLATE_LENGTH = 8 * 1024;
/** Maximum number of expressions in a template. */
export const MAX_EXPRESSIONS = 64;
/** Maximum number of variables in all expressions of a template. */
export const MAX_VARIABLES = 64;
/** Maximum length of a variable name, in characters. */
export const MAX_NAME_LENGTH = 128;

export interface Variable {
  readonly name: string;
  /** True for `{list*}`: each item is expanded separately. */
  readonly explode: boolean;
  /** Maximum number of characters, as in `{var:3}`. */
  readonly prefix?: number;
}

export interface Expression {
  readonly operator: Operator;
  readonly variables: readonly Variable[];
}

/** A literal in its URI-encoded form, or an expression. Two literals never follow each other. */
export type TemplatePart = string | Expression;

export type ParseResult =
  | { readonly parts: readonly TemplatePart[] }
  | { readonly reason: string; readonly position: number };

interface ParseIssue {
  reason: string;
  position: number;
}

/**
 * Parses a template by RFC 6570 §2. For a malformed template it returns the reason and the position in UTF-16 code
 * units.
 */
export function parse(template: string): ParseResult {
  if (template.length > MAX_TEMPLATE_LENGTH)
    return { reason: `longer than ${MAX_TEMPLATE_LENGTH}`, position: MAX_TEMPLATE_LENGTH };
  const parts: TemplatePart[] = [];
  const count = { expressions: 0, variables: 0 };
  for (let position = 0; position < template.length; ) {
    const open = template.indexOf('{', position);
    const end = open === -1 ? template.length : open;
    const issue = findLiteralIssue(template, position, end);
    if (issue) return issue;
    if (end > position) parts.push(encodeReserved(template.slice(position, end)));
    if (open === -1) break;
    const close = template.indexOf('}', open);
    if (close === -1) return { reason: 'an expression is never closed with "}"', position: open };
    const expression = parseExpression(template, open + 1, close);
    if ('reason' in expression) return expression;
    count.variables += expression.variables.length;
    if (++count.expressions > MAX_EXPRESSIONS)
      return { reason: `more than ${MAX_EXPRESSIONS} expressions`, position: open };
    if (count.variables > MAX_VARIABLES) return { reason: `more than ${MAX_VARIABLES} variables`, position: open };
    parts.push(expression);
    position = close + 1;
  }
  return { parts };
}

function findLiteralIssue(template: string, start: number, end: number): ParseIssue | undefined {
  for (let position = start; position < end; ) {
    const code = template.codePointAt(position)!;
    if (code === 0x25) {
      if (!/^%[0-9A-Fa-f]{2}$/.test(template.slice(position, position + 3))) {
        return { reason: '"%" is not followed by two hexadecimal digits', position };
      }
    } else if (!isLiteral(code)) {
      return { reason: `${formatText(String.fromCodePoint(code))} may not stand in a literal`, position };
    }
    position += code > 0xffff ? 2 : 1;
  }
  return undefined;
}

/** Tells if a character is a literal of RFC 6570 §2.1. With erratum 6937, the apostrophe is one. */
function isLiteral(code: number): boolean {
  if (code < 0x80) return code > 0x20 && code < 0x7f && !'"<>\\^`{|}'.includes(String.fromCharCode(code));
  if (code < 0xa0 || (code >= 0xd800 && code <= 0xdfff)) return false;
  if ((code >= 0xfdd0 && code <= 0xfdef) || (code >= 0xfff0 && code <= 0xffff)) return false;
  return (code & 0xfffe) !== 0xfffe && !(code >= 0xe0000 && code < 0xe1000);
}

function parseExpression(template: string, start: number, end: number): Expression | ParseIssue {
  const sign = template.charAt(start);
  if (start < end && RESERVED_OPERATORS.includes(sign)) {
    return { reason: `the operator ${formatText(sign)} is reserved and has no meaning yet`, position: start };
  }
  const operator = start < end && sign in OPERATORS ? (sign as Operator) : '';
  const variables: Variable[] = [];
  let position = start + operator.length;
  for (const spec of template.slice(position, end).split(',')) {
    const variable = parseVariable(spec, position);
    if ('reason' in variable) return variable;
    variables.push(variable);
    position += spec.length + 1;
  }
  return { operator, variables };
}

const NAME = /^(?:\w|%[0-9A-Fa-f]{2})(?:\.?(?:\w|%[0-9A-Fa-f]{2}))*/;

function parseVariable(spec: string, position: number): Variable | ParseIssue {
  const name = NAME.exec(spec)?.[0];
  if (name === undefined)
    return { reason: spec === '' ? 'a name is missing' : `${formatText(spec)} begins no name`, position };
  if (name.length > MAX_NAME_LENGTH) return { reason: `a name is longer than ${MAX_NAME_LENGTH}`, position };
  const modifier = spec.slice(name.length);
  if (modifier === '') return { name, explode: false };
  if (modifier === '*') return { name, explode: true };
  if (/^:[1-9][0-9]{0,3}$/.test(modifier)) return { name, explode: false, prefix: Number(modifier.slice(1)) };
  const reason = modifier.startsWith(':')
    ? `the prefix ${formatText(modifier)} is no number from 1 to 9999`
    : `${formatText(modifier)} may not follow the name "${name}"; a name has letters, digits, "_", "." and triplets only`;
  return { reason, position: position + name.length };
}

const formatText = (text: string) => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
