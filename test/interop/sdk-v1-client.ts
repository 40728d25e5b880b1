import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { root } from './process.js';
import {
  answerRequest,
  type ConnectedSdkClient,
  capabilities,
  type ReceivedNotification,
  type SdkClient,
} from './sdk-client.js';

type SdkV1Target =
  | { args: readonly string[] }
  | { url: string; fetch?: (input: string | URL, init?: RequestInit) => Promise<Response> }
  | { sseUrl: string };

/** Connects the client of SDK v1: to a program, to Streamable HTTP, or to HTTP+SSE. */
export async function connectSdkV1(to: SdkV1Target): Promise<ConnectedSdkClient> {
  const requests: string[] = [];
  const notifications: ReceivedNotification[] = [];
  const client = new Client({ name: 'sdk-v1', version: '1.32.2' }, { capabilities });
  client.setRequestHandler(ElicitRequestSchema, ({ method, params }) => answerRequest(method, params, requests));
  client.setRequestHandler(CreateMessageRequestSchema, ({ method, params }) =>
    answerRequest(method, params as never, requests),
  );
  client.setRequestHandler(ListRootsRequestSchema, ({ method }) => answerRequest(method, undefined, requests));
  client.fallbackNotificationHandler = async notification => void notifications.push(notification);
  const transport = createTransport(to);
  await client.connect(transport as never);
  return {
    client: client as unknown as SdkClient,
    requests,
    notifications,
    call: async (name, input = {}, { meta, ...sending } = {}) =>
      (await client.callTool(
        { name, arguments: input, ...(meta ? { _meta: meta } : {}) },
        undefined,
        sending as never,
      )) as never,
    ...(transport instanceof StreamableHTTPClientTransport ? { terminate: () => transport.terminateSession() } : {}),
    ...(transport instanceof StdioClientTransport ? { pid: transport.pid } : {}),
  };
}

function createTransport(to: SdkV1Target) {
  if ('args' in to)
    return new StdioClientTransport({ command: process.execPath, args: [...to.args], cwd: root, stderr: 'inherit' });
  if ('url' in to) return new StreamableHTTPClientTransport(new URL(to.url), to.fetch ? { fetch: to.fetch } : {});
  return new SSEClientTransport(new URL(to.sseUrl));
}
