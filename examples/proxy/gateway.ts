import { type Client, type ConnectTarget, connect, type JsonObject, rpcError, type Server } from 'tenon';
import {
  ActiveCalls,
  type ClientSession,
  createProxyServer,
  createUpstreamOptions,
  forwardRequest,
  type ProxyCall,
  type RequesterInfo,
  type SubscriptionFilter,
} from 'tenon/proxy';

/** A connection of one caller to one server. */
interface Upstream {
  readonly calls: ActiveCalls;
  readonly client: Promise<Client>;
}

type Caller = Pick<RequesterInfo, 'caller' | 'session'>;
type Deliver = (method: string, params: JsonObject) => void;

/** Creates a server that offers the tools, prompts and resources of several servers. `notes__add` is the tool `add` of `notes`. */
export function createGateway(targets: Readonly<Record<string, ConnectTarget>>): Server {
  const upstreams = new Map<unknown, Map<string, Upstream>>();
  const watches = new WeakMap<ClientSession, Map<string, AbortController>>();

  /** Requests share a connection if they are of one session, or of one user with equal capabilities. */
  function getUpstream(server: string, { caller, session }: Caller): Upstream {
    const key = session ?? JSON.stringify([caller.auth?.principal, caller.auth?.clientId, caller.capabilities]);
    const own = upstreams.get(key) ?? new Map<string, Upstream>();
    const known = own.get(server);
    if (known) return known;
    const target = targets[server];
    if (target === undefined) throw rpcError(-32602, `Unknown server: ${server.slice(0, 64)}`);
    const calls = new ActiveCalls(session, server);
    const client = connect(target, createUpstreamOptions(calls, caller.capabilities));
    upstreams.set(key, own.set(server, { calls, client }));
    client.then(
      each => each.on('log', ({ level, data, logger }) => calls.log(level, data, logger)),
      () => own.delete(server),
    );
    session?.onEnd(() => {
      upstreams.delete(key);
      void client.then(
        each => each.close(),
        () => {},
      );
    });
    return { calls, client };
  }

  /** Handles the request of a list: it has the entries of all servers, with names or URIs of the gateway. */
  const list =
    <T>(
      kind: 'tools' | 'prompts' | 'resources',
      key: string,
      read: (client: Client) => AsyncIterable<T>,
      rename: (server: string, entry: T) => object,
    ) =>
    async ({ requestContext }: Pick<ProxyCall, 'requestContext'>): Promise<JsonObject> => {
      const lists = Object.keys(targets).map(async server => {
        const client = await getUpstream(server, requestContext).client;
        const entries: object[] = [];
        if (client.server.capabilities[kind] !== undefined)
          for await (const entry of read(client)) entries.push(rename(server, entry));
        return entries;
      });
      return { [key]: (await Promise.all(lists)).flat(), ttlMs: 0, cacheScope: 'private' };
    };

  /** Forwards a call to a server, with the name or URI that the server itself uses. */
  async function forward(call: ProxyCall, server: string, own: JsonObject): Promise<JsonObject> {
    const { calls, client } = getUpstream(server, call.requestContext);
    return forwardRequest(call, { client: await client, calls, params: { ...call.params, ...own } });
  }

  /** Reports changes at the servers until `signal` is aborted. */
  function watchAll(caller: Caller, filter: SubscriptionFilter, deliver: Deliver, signal: AbortSignal): void {
    const { toolsListChanged: tools, promptsListChanged: prompts, resourcesListChanged: resources } = filter;
    const places = (filter.resourceSubscriptions ?? []).map(uri => split(uri, '+'));
    const watchOne = async (server: string) => {
      const client = await getUpstream(server, caller).client;
      const uris = places.filter(place => place.server === server).map(({ own }) => own);
      for await (const change of client.watch({ tools, prompts, resources, uris }, { signal }))
        if ('uri' in change) deliver('notifications/resources/updated', { uri: `${server}+${change.uri}` });
        else deliver(`notifications/${change.list}/list_changed`, {});
    };
    for (const server of Object.keys(targets)) void watchOne(server).catch(() => {});
  }

  const listChanged = { listChanged: true };
  return createProxyServer(
    { name: 'gateway', version: '1.0.0' },
    {
      capabilities: {
        tools: listChanged,
        prompts: listChanged,
        resources: { listChanged: true, subscribe: true },
        completions: {},
      },
      methodHandlers: {
        'tools/list': list('tools', 'tools', client => client.listTools(), withName),
        'prompts/list': list('prompts', 'prompts', client => client.listPrompts(), withName),
        'resources/list': list('resources', 'resources', client => client.listResources(), withUri),
        'resources/templates/list': list(
          'resources',
          'resourceTemplates',
          client => client.listResourceTemplates(),
          (server, entry) => ({ ...entry, uriTemplate: `${server}+${entry.uriTemplate}` }),
        ),
        async 'tools/call'(call) {
          const { server, own: name } = split(call.params.name, '__');
          return forward(call, server, { name });
        },
        async 'prompts/get'(call) {
          const { server, own: name } = split(call.params.name, '__');
          return forward(call, server, { name });
        },
        async 'resources/read'(call) {
          const { server, own: uri } = split(call.params.uri, '+');
          const result = await forward(call, server, { uri });
          if (!Array.isArray(result.contents)) return result;
          return { ...result, contents: result.contents.map(each => withUri(server, each)) };
        },
        async 'completion/complete'(call) {
          const { ref } = call.params;
          const { server, own } = ref.type === 'ref/prompt' ? split(ref.name, '__') : split(ref.uri, '+');
          return forward(call, server, {
            ref: ref.type === 'ref/prompt' ? { ...ref, name: own } : { ...ref, uri: own },
          });
        },
        'resources/subscribe'({ params, requestContext }) {
          split(params.uri, '+');
          requestContext.subscriptions?.add(params.uri);
          return {};
        },
      },
      // Clients of versions with sessions subscribe to resources.
      resourceWatcher: {
        subscribe(session, uri) {
          const controller = new AbortController();
          watches.set(session, (watches.get(session) ?? new Map<string, AbortController>()).set(uri, controller));
          const deliver: Deliver = (method, params) => session.notify(method, params);
          watchAll({ caller: session.caller, session }, { resourceSubscriptions: [uri] }, deliver, controller.signal);
        },
        unsubscribe: (session, uri) => watches.get(session)?.get(uri)?.abort(),
      },
      // Clients of versions without sessions open a stream for the changes that they want.
      subscribe: async (filter, requestContext) => ({
        filter,
        start(deliver) {
          const controller = new AbortController();
          watchAll(requestContext, filter, deliver, controller.signal);
          return () => controller.abort();
        },
      }),
    },
  );
}

const withName = (server: string, entry: { readonly name: string }) => ({ ...entry, name: `${server}__${entry.name}` });
const withUri = (server: string, entry: { readonly uri: string }) => ({ ...entry, uri: `${server}+${entry.uri}` });

/** Splits a name or URI of the gateway into the server and the name or URI that the server itself uses. */
function split(text: string, separator: '__' | '+'): { readonly server: string; readonly own: string } {
  const at = text.indexOf(separator);
  if (at < 1) throw rpcError(-32602, `Unknown name: ${text.slice(0, 64)}`);
  return { server: text.slice(0, at), own: text.slice(at + separator.length) };
}
