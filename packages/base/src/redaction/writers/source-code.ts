import { replaceInvisible, stripInvisible } from '../invisible-characters.js';
import { escapeJson, writeJson } from './data-formats.js';

const MAX_LINES = 20;
const MAX_LINE = 500;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const MAX_IDENTIFIER = 100;
/** Line breaks of JavaScript, and of other programs that read the text. */
const LINE_BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/;

/**
 * Splits a text into lines for a block comment of JavaScript or TypeScript. No line ends the comment, or begins with a tag
 * such as `@ts-ignore`.
 */
export function writeCommentLines(text: string): string[] {
  const lines = text.trim().split(LINE_BREAK, MAX_LINES).map(writeCommentLine);
  return lines.every(line => line === '') ? [] : lines;
}

/** Writes a text for one line of a comment. */
function writeCommentLine(line: string): string {
  return stripInvisible(line.slice(0, MAX_LINE))
    .trimEnd()
    .replaceAll('*/', '*\\/')
    .replace(/^(\s*)@/, '$1\\@');
}

/** Writes a text for the rest of a line after `//`. */
export function writeLineComment(text: string): string {
  return replaceInvisible(text.slice(0, MAX_LINE), ' ').trim();
}

/** Writes a block comment. Lines in `lines` must come from `writeCommentLines`. Returns `''` without lines. */
export function writeBlockComment(lines: readonly string[], indent: string): string {
  const [only = ''] = lines;
  if (lines.length === 0) return '';
  return lines.length === 1 && !only.startsWith('@')
    ? `${indent}/** ${only} */\n`
    : `${indent}/**\n${lines.map(line => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

/** Writes a string literal of JavaScript in single quotes. */
export function writeStringLiteral(text: string): string {
  return `'${escapeJson(JSON.stringify(text)).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/**
 * Writes a JSON value as an expression of JavaScript. In JavaScript, the key `__proto__` would set the prototype of the
 * object, so it is written as a computed key.
 *
 * @param indent Number of spaces of a level. Default: one line.
 */
export function writeLiteral(value: unknown, indent?: number): string {
  return writeJson(value, indent).replaceAll('"__proto__":', '["__proto__"]:');
}

/** Writes the name of a member of a type. Names that are no identifiers are in quotes. */
export function writeMemberName(name: string): string {
  return IDENTIFIER.test(name) ? name : writeJson(name);
}

/** Converts a text to an identifier in PascalCase, of ASCII letters and digits. */
export function writeIdentifier(text: string): string {
  const words = text.match(/[A-Za-z0-9]+/g) ?? [];
  const joined = words.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return (/^[A-Za-z]/.test(joined) ? joined : `Type${joined}`).slice(0, MAX_IDENTIFIER);
}

/** Writes a text for a regular expression, also one between slashes, which matches only this text. */
export function writePatternText(text: string): string {
  return escapeJson(text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t');
}

/** Writes a text for a template literal, without its backticks. */
export function writeTemplateText(text: string): string {
  return escapeJson(JSON.stringify(text))
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replace(/`|\$(?=\{)/g, '\\$&');
}
