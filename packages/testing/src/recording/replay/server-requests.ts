import type { JsonRpcRequest, JsonRpcResponse } from 'tenon/testing-internals';
import type { RecordedExchange, RecordedSession } from '../recorded-sessions.js';

/** Request of the server, and the recorded answer of the client. */
export interface RecordedServerRequest extends RecordedExchange {
  readonly answer: JsonRpcResponse;
}

/** Lists the requests of the server that the client answered. */
export function listServerRequests({ messages }: RecordedSession): RecordedServerRequest[] {
  const open = new Map<unknown, { readonly line: number; readonly request: JsonRpcRequest }>();
  const answered: RecordedServerRequest[] = [];
  for (const { dir, message, line } of messages) {
    if (dir === 'recv' && 'method' in message && 'id' in message) open.set(message.id, { line, request: message });
    if (dir !== 'send' || 'method' in message) continue;
    const found = open.get(message.id);
    if (found === undefined) continue;
    open.delete(message.id);
    answered.push({ ...found, steps: [], response: message, responseLine: line, answer: message });
  }
  return answered;
}
