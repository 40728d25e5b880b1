import { type Client, type ConnectTarget, connect } from 'tenon';
import { createAnswers } from '../interop/answers.js';
import { collect } from '../interop/collect.js';
import { type CallResult, type ConnectedSdkClient, collectPages } from '../interop/sdk-client.js';

/** A client of anybody's, at the gateway. */
export interface GatewayClient {
  /** Names or URIs of a list, over all pages. */
  list(what: 'tools' | 'prompts' | 'resources' | 'templates'): Promise<string[]>;
  call(
    name: string,
    input?: Readonly<Record<string, unknown>>,
    onProgress?: (progress: number) => void,
  ): Promise<CallResult>;
  read(uri: string): Promise<string>;
  prompt(name: string, args?: Record<string, string>): Promise<string>;
  complete(ref: object, argument: object): Promise<readonly string[]>;
  /** Has changes of this resource told. Returns what ends that. */
  subscribe(uri: string): Promise<() => unknown>;
  logLevel(level: 'debug' | 'warning'): Promise<unknown>;
  /** What was asked of its user, its model and it. */
  readonly requests: readonly string[];
  /** Methods and params of what it was told, as far as it tells. */
  getNotifications(): readonly string[];
  close(): Promise<void>;
}

export async function connectOwnClient(target: ConnectTarget, protocolVersion: string): Promise<GatewayClient> {
  const requests: string[] = [];
  const received: string[] = [];
  const client: Client = await connect(target, { ...createAnswers(requests), protocolVersion });
  client.on('log', log => received.push(`log ${JSON.stringify(log.data)}`));
  client.on('change', change => received.push(`change ${JSON.stringify(change)}`));
  return {
    requests,
    getNotifications: () => received,
    async list(what) {
      if (what === 'tools') return (await collect(client.listTools())).map(({ name }) => name);
      if (what === 'prompts') return (await collect(client.listPrompts())).map(({ name }) => name);
      if (what === 'resources') return (await collect(client.listResources())).map(({ uri }) => uri);
      return (await collect(client.listResourceTemplates())).map(({ uriTemplate }) => uriTemplate);
    },
    call: (name, input = {}, onProgress) =>
      client.callTool(
        name,
        input as never,
        onProgress ? { onProgress: ({ progress }) => onProgress(progress) } : {},
      ) as never,
    read: async uri => JSON.stringify((await client.readResource(uri)).contents),
    prompt: async (name, args) => JSON.stringify((await client.getPrompt(name, args)).messages),
    complete: async (ref, argument) => (await client.complete({ ref, argument } as never)).values,
    async subscribe(uri) {
      const stop = new AbortController();
      const watching = collect(client.watch(uri, { signal: stop.signal }));
      return async () => {
        stop.abort();
        await watching;
      };
    },
    logLevel: level => client.setLogLevel(level),
    close: () => client.close(),
  };
}

export function wrapSdkClient({ client, requests, notifications, call, listen }: ConnectedSdkClient): GatewayClient {
  return {
    requests,
    getNotifications: () =>
      notifications.map(({ method, params }) =>
        formatNotification(method, params as Readonly<Record<string, unknown>>),
      ),
    async list(what) {
      if (what === 'tools')
        return (await collectPages<Named>(page => client.listTools(page), 'tools')).map(({ name }) => name);
      if (what === 'prompts')
        return (await collectPages<Named>(page => client.listPrompts(page), 'prompts')).map(({ name }) => name);
      if (what === 'resources')
        return (await collectPages<{ uri: string }>(page => client.listResources(page), 'resources')).map(
          ({ uri }) => uri,
        );
      return (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate);
    },
    call: (name, input, onProgress) =>
      call(name, input, onProgress ? { onprogress: ({ progress }) => onProgress(progress) } : {}),
    read: async uri => JSON.stringify((await client.readResource({ uri })).contents),
    prompt: async (name, args) =>
      JSON.stringify((await client.getPrompt({ name, ...(args ? { arguments: args } : {}) })).messages),
    complete: async (ref, argument) => (await client.complete({ ref, argument } as never)).completion.values,
    async subscribe(uri) {
      if (listen) return listen({ resourceSubscriptions: [uri] });
      await client.subscribeResource({ uri });
      return () => client.unsubscribeResource({ uri });
    },
    logLevel: level => client.setLoggingLevel(level),
    close: () => client.close(),
  };
}

interface Named {
  readonly name: string;
}

function formatNotification(method: string, params: Readonly<Record<string, unknown>> = {}): string {
  if (method === 'notifications/message') return `log ${JSON.stringify(params.data)}`;
  if (method === 'notifications/resources/updated') return `change ${JSON.stringify({ uri: params.uri })}`;
  return method;
}
