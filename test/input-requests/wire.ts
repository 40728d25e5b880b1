import type { RequestHandler } from 'tenon';
import type { JsonObject } from '../../packages/base/src/json/json-object.js';
import type { Dialect } from '../../packages/tenon/src/protocol/versions/dialect.js';
import { dialects } from '../../packages/tenon/src/protocol/versions/index.js';

const newest = dialects[0] as Dialect;

export interface CallerOptions {
  readonly principal?: string;
  readonly capabilities?: JsonObject;
  readonly meta?: JsonObject;
  readonly notified?: JsonObject[];
  /** Gives what makes the client go away. */
  readonly leaves?: (listener: () => void) => void;
}

export interface WireResponse {
  readonly result?: JsonObject & { readonly requestState?: string; readonly inputRequests?: JsonObject };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export function createMeta({
  capabilities = { elicitation: {}, roots: {}, sampling: {} },
  meta = {},
}: CallerOptions): JsonObject {
  return {
    'io.modelcontextprotocol/protocolVersion': newest.protocolVersion,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    ...meta,
  };
}

/** One request on the newest protocol version, as a transport brings it. */
export async function sendRequest(
  server: RequestHandler,
  method: string,
  params: JsonObject,
  options: CallerOptions = {},
): Promise<WireResponse> {
  const message = { jsonrpc: '2.0' as const, id: 1, method, params: { ...params, _meta: createMeta(options) } };
  const io = {
    auth: options.principal === undefined ? undefined : { principal: options.principal },
    send: (notification: object) => void options.notified?.push(notification as JsonObject),
    onClientClosed: (listener: () => void) => options.leaves?.(listener),
  };
  const route = server.classifyRequest(message);
  if (route.opening !== 'per-request') throw new Error(route.opening);
  return (await server.answer(message, route, io as never)) as unknown as WireResponse;
}

export function callTool(
  server: RequestHandler,
  name: string,
  more: JsonObject = {},
  options: CallerOptions = {},
): Promise<WireResponse> {
  return sendRequest(server, 'tools/call', { name, ...more }, options);
}

const answers: { readonly [method: string]: (params: JsonObject) => JsonObject } = {
  'elicitation/create': params => ({ action: 'accept', content: { yes: true, said: String(params.message) } }),
  'roots/list': () => ({ roots: [{ uri: 'file:///home' }] }),
  'sampling/createMessage': () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'Hm.' } }),
};

/** What a client sends again after it was asked: the state, and an answer to each question. */
export function getRetry({ result }: WireResponse): JsonObject & { requestState: string; inputResponses: JsonObject } {
  const { requestState, inputRequests = {} } = result ?? {};
  const answered = Object.entries(inputRequests as { [key: string]: { method: string; params?: JsonObject } }).map(
    ([key, { method, params = {} }]) => [key, answers[method]?.(params)],
  );
  return { requestState: requestState as string, inputResponses: Object.fromEntries(answered) };
}

export function getText({ result }: WireResponse): string {
  return (result as { content?: { text: string }[] } | undefined)?.content?.[0]?.text ?? '';
}
