import { writeJson } from '@tenon/base/writers';
import type { Node } from 'jsonc-parser';
import {
  applyTextEdits,
  createInsertion,
  detectLineEnd,
  detectUnit,
  findContentEnd,
  findLineStart,
  getLineIndent,
  type TextEdit,
} from './text-edits.js';

/** Formats a value over several lines. Lines after the first begin with `indent`. */
export function formatJsonValue(value: unknown, indent: string, unit: string, lineEnd: string): string {
  return writeJson(value, unit).replaceAll('\n', lineEnd + indent);
}

/** Formats a value in one line. Line breaks in strings are escaped, so all others belong to the layout. */
function formatInline(value: unknown): string {
  return writeJson(value, 1).replace(/\n\s*/g, ' ');
}

/** Adds a member at the end of an object, in the style of the object. */
export function appendJsonMember(text: string, object: Node, key: string, value: unknown): string {
  return appendJsonChild(text, object, `${writeJson(key)}: `, value);
}

/**
 * Adds a value at the end of an object or array, in its style.
 *
 * @param label Text in front of the value.
 */
export function appendJsonChild(text: string, object: Node, label: string, value: unknown): string {
  const lineEnd = detectLineEnd(text);
  const unit = detectUnit(text);
  const close = object.offset + object.length - 1;
  const last = object.children?.at(-1);
  const closeIndent = getLineIndent(text, object.offset);
  if (last === undefined) {
    const indent = closeIndent + unit;
    const member = `${lineEnd}${indent}${label}${formatJsonValue(value, indent, unit, lineEnd)}`;
    const start = findContentEnd(text, close);
    const isBlank = start === object.offset + 1;
    // A comment may stand in the braces. A line end before the closing one stays.
    const end = isBlank ? close : start;
    const tail = isBlank || !text.slice(start, close).includes('\n') ? lineEnd + closeIndent : '';
    return applyTextEdits(text, [{ start, end, text: member + tail }]);
  }
  const { commaEnd, anchor } = scanAfter(text, last, close);
  const comma: TextEdit[] = commaEnd === undefined ? [createInsertion(last.offset + last.length, ',')] : [];
  const ownComma = commaEnd === undefined ? '' : ',';
  const isInline = !text.slice(object.offset, close).includes('\n');
  if (isInline) {
    const member = ` ${label}${formatInline(value)}${ownComma}`;
    return applyTextEdits(text, [...comma, createInsertion(anchor, member)]);
  }
  const indent = isFirstInLine(text, last) ? getLineIndent(text, last.offset) : closeIndent + unit;
  const member = `${lineEnd}${indent}${label}${formatJsonValue(value, indent, unit, lineEnd)}${ownComma}`;
  return applyTextEdits(text, [...comma, createInsertion(anchor, member)]);
}

/** Deletes a member or an item with its comma, and with a comment behind it. Comments above it stay. */
export function deleteJsonChild(text: string, object: Node, member: Node): string {
  const children = object.children ?? [];
  const index = children.indexOf(member);
  const close = object.offset + object.length - 1;
  const after = scanAfter(text, member, children[index + 1]?.offset ?? close);
  const before = children[index - 1];
  const previous = before && scanAfter(text, before, member.offset);
  const from = findLeadStart(text, previous?.anchor ?? object.offset + 1, member.offset);
  const edits: TextEdit[] = [{ start: from, end: after.anchor, text: '' }];
  // The comma of the member before belongs to this one, if this one is the last and has none.
  if (index === children.length - 1 && after.commaEnd === undefined && previous?.commaEnd !== undefined)
    edits.push({ start: previous.commaEnd - 1, end: previous.commaEnd, text: '' });
  const result = applyTextEdits(text, edits);
  if (children.length > 1) return result;
  const interior = result.slice(object.offset + 1, close - (after.anchor - from));
  return interior.trim() === ''
    ? applyTextEdits(result, [{ start: object.offset + 1, end: object.offset + 1 + interior.length, text: '' }])
    : result;
}

/** Parts of the text between two members that are no spaces. The parser has accepted the text. */
const GAP_TOKEN = /\n|,|\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g;

const isFirstInLine = (text: string, { offset }: Node): boolean =>
  text.slice(findLineStart(text, offset), offset).trim() === '';

/**
 * Looks behind a member: `commaEnd` is the offset after its comma, `anchor` the offset after its comma and the comments
 * in the same line.
 */
function scanAfter(text: string, member: Node, limit: number): { commaEnd: number | undefined; anchor: number } {
  const start = member.offset + member.length;
  let commaEnd: number | undefined;
  let anchor = start;
  let isSameLine = true;
  for (const { 0: token, index } of text.slice(start, limit).matchAll(GAP_TOKEN)) {
    const end = start + index + token.length;
    if (token === ',') {
      commaEnd = end;
      anchor = end;
      isSameLine = true;
    } else if (token === '\n') isSameLine = false;
    // A comment in front of the next member belongs to that member.
    else if (isSameLine && /^[ \t]*(?:\r?\n|$)/.test(text.slice(end, limit))) anchor = end;
  }
  return { commaEnd, anchor };
}

/** Returns the offset after the last comment between two offsets, or the first offset. */
function findLeadStart(text: string, start: number, end: number): number {
  return Math.max(start, findContentEnd(text, end));
}
