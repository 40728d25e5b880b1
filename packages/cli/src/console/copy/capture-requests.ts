import { isObject, type JsonObject } from '@tenon/base';
import { connect, type HttpTarget, type Tool } from 'tenon';

/** An HTTP request that a client sends. */
export interface CapturedRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A call whose HTTP requests are captured. */
export interface CapturedCall {
  readonly target: HttpTarget;
  readonly protocolVersion: string;
  readonly method: string;
  readonly params: JsonObject;
  /** Definition of the tool, which may ask for headers with arguments. */
  readonly tool: Tool | undefined;
}

const SESSION = 'session';
const CAPABILITIES = { tools: {}, prompts: {}, resources: {}, completions: {}, logging: {} };

/** Returns the requests that the client of this library sends for a call. Nothing reaches the server. */
export async function captureRequests(call: CapturedCall): Promise<CapturedRequest[]> {
  const captured: CapturedRequest[] = [];
  const { target, protocolVersion, method, params, tool } = call;
  const serverInfo = { name: 'server', version: '1' };
  const results: Readonly<Record<string, object>> = {
    initialize: { protocolVersion, capabilities: CAPABILITIES, serverInfo },
    'server/discover': { supportedVersions: [protocolVersion], capabilities: CAPABILITIES, serverInfo },
    'tools/list': { tools: tool ? [tool] : [] },
  };
  const fetch: HttpTarget['fetch'] = async (_, init) => {
    const text = init.body ?? '';
    if (init.method !== 'POST' || text === '') return new Response(null, { status: 405 });
    const message: unknown = JSON.parse(text);
    const name = isObject(message) && typeof message.method === 'string' ? message.method : '';
    captured.push({ method: name, headers: init.headers, body: text });
    if (!isObject(message) || message.id === undefined) return new Response(null, { status: 202 });
    const result = { resultType: 'complete', ...results[name], ...(name === method ? { content: [] } : {}) };
    const session: Record<string, string> = name === 'initialize' ? { 'mcp-session-id': SESSION } : {};
    const body = JSON.stringify({ jsonrpc: '2.0', id: message.id, result });
    return new Response(body, { headers: { 'content-type': 'application/json', ...session } });
  };
  const client = await connect({ ...target, transport: 'http', fetch }, { protocolVersion, validate: 'off' });
  try {
    if (tool) for await (const _ of client.listTools()) break;
    await client.call(method, params);
  } finally {
    await client.close();
  }
  return captured.filter(request => request.method !== 'server/discover' && request.method !== 'tools/list');
}
