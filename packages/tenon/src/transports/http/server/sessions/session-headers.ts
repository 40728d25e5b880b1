import type { HeaderFields } from '../exchange.js';

/** Returns the headers of the response that opens a session. */
export function createSessionHeaders({
  sessionId,
}: {
  readonly sessionId: string | undefined;
}): HeaderFields | undefined {
  return sessionId === undefined ? undefined : { 'mcp-session-id': sessionId };
}
