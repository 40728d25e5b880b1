import { type Id, isId } from '../../jsonrpc/message.js';

// A response, with its members in either of the usual orders. The patterns match at the ends of the line, where no
// nested member can be. They match an "id" before the result, or an "id" followed only by the outermost brace.
const VERSION = '"jsonrpc"\\s*:\\s*"2\\.0"';
const ID = '"id"\\s*:\\s*(-?\\d{1,16}|"(?:[^"\\\\]|\\\\.){0,200}")';
const BODY = '"(?:result|error)"\\s*:';
const ID_FIRST = new RegExp(`^\\s*\\{\\s*(?:${VERSION}\\s*,\\s*)?${ID}\\s*,\\s*(?:${VERSION}\\s*,\\s*)?${BODY}`);
const BODY_FIRST = new RegExp(`^\\s*\\{\\s*(?:${VERSION}\\s*,\\s*)?${BODY}`);
const ID_LAST = new RegExp(`,\\s*${ID}\\s*(?:,\\s*${VERSION}\\s*)?\\}\\s*$`);

/**
 * Finds the ID of an unreadable response from its first and last characters, so that its caller does not wait for the
 * timeout.
 */
export function findResponseId(head: string, tail: string): Id | undefined {
  const matched = ID_FIRST.exec(head)?.[1] ?? (BODY_FIRST.test(head) ? ID_LAST.exec(tail)?.[1] : undefined);
  if (matched === undefined) return undefined;
  try {
    const id: unknown = JSON.parse(matched);
    return isId(id) ? id : undefined;
  } catch {
    return undefined;
  }
}
