import {
  Client,
  type ClientOptions,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { root } from './process.js';
import {
  answerRequest,
  type ConnectedSdkClient,
  capabilities,
  type ReceivedNotification,
  type SdkClient,
} from './sdk-client.js';

type SdkV2Target = { args: readonly string[] } | { url: string } | { sseUrl: string };

/** Connects the client of SDK v2: to a program, to Streamable HTTP, or to HTTP+SSE. */
export async function connectSdkV2(to: SdkV2Target, options: ClientOptions = {}): Promise<ConnectedSdkClient> {
  const requests: string[] = [];
  const notifications: ReceivedNotification[] = [];
  const client = new Client({ name: 'sdk-v2', version: '2.4.0' }, { capabilities, ...options });
  for (const method of ['elicitation/create', 'sampling/createMessage', 'roots/list'] as const) {
    client.setRequestHandler(method, (request: { method: string; params?: unknown }) =>
      answerRequest(request.method, request.params as never, requests),
    );
  }
  client.fallbackNotificationHandler = async notification => void notifications.push(notification);
  const transport = createTransport(to);
  await client.connect(transport);
  return {
    client: client as unknown as SdkClient,
    requests,
    notifications,
    call: async (name, input = {}, { meta, ...sending } = {}) =>
      (await client.callTool({ name, arguments: input, ...(meta ? { _meta: meta } : {}) }, sending as never)) as never,
    // A resource that is not there has one code here, whatever the protocol version's is.
    codes: { [-32002]: -32602 },
    ...(client.getProtocolEra() === 'modern' ? { listen: filter => openListen(client, filter) } : {}),
    ...(transport instanceof StreamableHTTPClientTransport ? { terminate: () => transport.terminateSession() } : {}),
    ...(transport instanceof StdioClientTransport ? { pid: transport.pid } : {}),
  };
}

async function openListen(client: Client, filter: object): Promise<() => Promise<void>> {
  const subscription = await client.listen(filter);
  return () => subscription.close();
}

function createTransport(to: SdkV2Target) {
  if ('args' in to)
    return new StdioClientTransport({ command: process.execPath, args: [...to.args], cwd: root, stderr: 'inherit' });
  if ('url' in to) return new StreamableHTTPClientTransport(new URL(to.url));
  return new SSEClientTransport(new URL(to.sseUrl));
}
