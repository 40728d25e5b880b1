import { isObject } from '@tenon/base';
import { type CallToolResult, TenonError } from 'tenon';
import { isPolicyDenial } from '../exit-codes.js';

/** Input schema for a name that the server does not list. */
export const OPEN_SCHEMA = { type: 'object', additionalProperties: true } as const;

/** JSON-RPC error codes for an unknown name: "invalid params" and "method not found". */
const UNKNOWN_CODES: readonly unknown[] = [-32602, -32601];
/** Servers of the official SDK return an error of the tool instead. */
const UNKNOWN_TEXT = /unknown tool|not found|no such tool|does not exist/i;

/**
 * Sends a request for a name that the server does not list, because only the server knows why: a gateway hides the
 * tools that its policy denies, and records the denied call. If the server does not know the name either, throws the
 * error with the nearest name.
 */
export async function explainUnknownName<T>(
  send: () => Promise<T | undefined>,
  createError: () => Promise<Error>,
): Promise<T | undefined> {
  try {
    return await send();
  } catch (thrown) {
    const { code, rpcCode, data } = TenonError.from(thrown);
    // Arguments that cannot be parsed without a schema are of no use for an unknown name.
    const isUnknown = code === 'cli/usage' || UNKNOWN_CODES.includes(rpcCode);
    throw isUnknown && !isPolicyDenial(data) && !hasUnavailableServers(data) ? await createError() : thrown;
  }
}

/** Tells if a result says that the server does not have the tool of this name. A tool may also miss something else. */
export async function isUnknownToolResult({ isError, content, _meta }: CallToolResult, name: string): Promise<boolean> {
  const texts = content.flatMap(each => (each.type === 'text' ? [each.text] : []));
  if (isError !== true || !texts.some(text => text.includes(name) && UNKNOWN_TEXT.test(text))) return false;
  const { POLICY_DECISION } = await import('@tenon/host');
  return _meta?.[POLICY_DECISION] === undefined;
}

/** Tells if an error of a gateway names servers that are unavailable, and may have the name. */
const hasUnavailableServers = (data: unknown): boolean => isObject(data) && 'unavailable' in data;
