import { type Id, isId } from '../../jsonrpc/message.js';

// A response, in either order in which its members are usually written. Matched at the very ends of the line, where a
// nested member cannot be: an "id" before the result, or one that only the outermost brace follows.
const VERSION = '"jsonrpc"\\s*:\\s*"2\\.0"';
const ID = '"id"\\s*:\\s*(-?\\d{1,16}|"(?:[^"\\\\]|\\\\.){0,200}")';
const BODY = '"(?:result|error)"\\s*:';
const ID_FIRST = new RegExp(`^\\s*\\{\\s*(?:${VERSION}\\s*,\\s*)?${ID}\\s*,\\s*(?:${VERSION}\\s*,\\s*)?${BODY}`);
const BODY_FIRST = new RegExp(`^\\s*\\{\\s*(?:${VERSION}\\s*,\\s*)?${BODY}`);
const ID_LAST = new RegExp(`,\\s*${ID}\\s*(?:,\\s*${VERSION}\\s*)?\\}\\s*$`);

/**
 * Finds the request that an unreadable line answers, from its first and last characters. Its caller need not wait then.
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
