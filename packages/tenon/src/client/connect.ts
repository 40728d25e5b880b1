import type { Service } from '../conversation/service.js';
import type { Channel } from '../jsonrpc/channel.js';
import { TenonError } from '../jsonrpc/error.js';
import type { JsonObject } from '../jsonrpc/message.js';
import type { LoggingLevel } from '../model/content.js';
import { checkMeta } from '../model/meta-keys.js';
import type { CallToolResult, CompleteResult, GetPromptResult, ReadResourceResult } from '../model/shapes.js';
import { createPair, type MemoryOptions } from '../transports/memory.js';
import { Caller } from './caller.js';
import type { Client, Offers } from './client.js';
import type { Endpoint } from './endpoint.js';
import type { CallOptions, ClientOptions } from './options.js';
import { pages } from './pages.js';
import { encodePromptArguments } from './prompt-arguments.js';
import { valueOfTool } from './results.js';
import { requireClientOptions } from './target-shapes.js';
import { clientTasks } from './tasks/tasks.js';
import { watch } from './watching.js';

/** Connects to an endpoint. Rejects with a `TenonError` when there is no server that can be spoken with. */
export async function connectTo<S extends Offers = Offers>(
  endpoint: Endpoint,
  options: ClientOptions = {},
): Promise<Client<S>> {
  requireClientOptions(options);
  const caller = new Caller(endpoint, withExtensionsOf(endpoint, options));
  try {
    await caller.lifeline.link();
    if (options.logLevel !== undefined) await setLogLevel(caller, options.logLevel);
    announceRootChanges(caller);
  } catch (error) {
    await caller.lifeline.close();
    throw error;
  }
  return clientOf<S>(caller);
}

/** Tells the server of changes of a source of roots until the client is closed. A new connection lists the roots anyway. */
function announceRootChanges({ options: { roots }, emitter, lifeline }: Caller): void {
  if (roots === undefined || typeof roots === 'function' || !('subscribe' in roots)) return;
  const unsubscribe = roots.subscribe(() => void lifeline.open?.notify('notifications/roots/list_changed'));
  emitter.on('state', state => {
    if (state === 'closed') unsubscribe();
  });
}

/** The ways of signing in are extensions that the client declares beside its own. */
function withExtensionsOf({ extensions = [] }: Endpoint, options: ClientOptions): ClientOptions {
  if (extensions.length === 0) return options;
  return { ...options, extensions: [...(options.extensions ?? []), ...extensions.map(id => ({ id }))] };
}

/** A server in this process as an endpoint. */
export function inProcess(server: Service, options?: MemoryOptions): Endpoint {
  return {
    kind: 'memory',
    async open() {
      const pair = createPair(undefined, options);
      await server.connect(pair.server);
      return pair.client;
    },
  };
}

/** A road of your own as an endpoint. A channel can be opened once; a function makes a new one whenever one is needed. */
export function byChannel(channel: Channel | (() => Channel | Promise<Channel>)): Endpoint {
  let used = false;
  return {
    kind: 'custom',
    open() {
      if (typeof channel === 'function') return channel();
      if (used)
        throw new TenonError('connection/used', 'the channel has ended', {
          peer: channel.peer,
          next: 'give `connect` a function that makes channels',
        });
      used = true;
      return channel;
    },
  };
}

function clientOf<S extends Offers>(caller: Caller): Client<S> {
  const { lifeline, emitter } = caller;
  const client = {
    tools: calls((name, input, options) => callForValue(caller, name, input, options)),
    prompts: calls(async (name, input, options) => {
      const params = { name, arguments: encodePromptArguments(name, input) };
      return (await caller.call('prompts/get', params, options)) as unknown as GetPromptResult;
    }),
    resources: {
      list: (options?: CallOptions) => pages(caller, 'resources/list', 'resources', options),
      templates: (options?: CallOptions) => pages(caller, 'resources/templates/list', 'resourceTemplates', options),
      read: (uri: string, options?: CallOptions) =>
        caller.call('resources/read', { uri }, options) as unknown as Promise<ReadResourceResult>,
    },
    tasks: clientTasks(caller),
    listTools: (options?: CallOptions) => caller.listTools(options),
    listPrompts: (options?: CallOptions) => pages(caller, 'prompts/list', 'prompts', options),
    callTool: (name: string, input?: JsonObject, options?: CallOptions) => callTool(caller, name, input, options),
    async complete(params: object, options?: CallOptions) {
      return ((await caller.call('completion/complete', params as JsonObject, options)) as unknown as CompleteResult)
        .completion;
    },
    watch: (what: string, { signal }: { signal?: AbortSignal } = {}) => watch(caller, what, signal),
    setLogLevel: (level: LoggingLevel) => setLogLevel(caller, level),
    rootsChanged: async () => (await lifeline.link()).notify('notifications/roots/list_changed'),
    ping: (options?: CallOptions) => ping(caller, options),
    call: (method: string, params?: JsonObject, options?: CallOptions) => caller.call(method, params, options),
    notify: async (method: string, params?: JsonObject) => {
      checkMeta(method, params?._meta);
      return (await lifeline.link()).notify(method, params);
    },
    on: emitter.on.bind(emitter),
    get state() {
      return lifeline.state;
    },
    get server() {
      const { server, dialect } = lifeline.last;
      return { ...server, revision: dialect.revision };
    },
    close: () => lifeline.close(),
    [Symbol.asyncDispose]: () => lifeline.close(),
  };
  return client as unknown as Client<S>;
}

type AnyCall = (name: string, input: JsonObject | undefined, options: CallOptions | undefined) => Promise<unknown>;

/** Any name as a function. `then` is none: an object that has it would be taken for a promise. */
function calls(call: AnyCall): object {
  return new Proxy(Object.create(null), {
    get: (_, name) =>
      typeof name === 'symbol' || name === 'then'
        ? undefined
        : (input?: JsonObject, options?: CallOptions) => call(name, input, options),
  });
}

function callTool(
  caller: Caller,
  name: string,
  input: JsonObject = {},
  options?: CallOptions,
): Promise<CallToolResult> {
  return caller.call('tools/call', { name, arguments: input }, options) as unknown as Promise<CallToolResult>;
}

/** A tool as a function: its value, or an error with its words. */
function callForValue(caller: Caller, name: string, input?: JsonObject, options?: CallOptions): Promise<unknown> {
  return callTool(caller, name, input, options).then(result => valueOfTool(result, caller.lifeline.last, name));
}

/** Where requests state the level themselves, the next ones do; else the session is told. */
async function setLogLevel(caller: Caller, level: LoggingLevel): Promise<void> {
  caller.logLevel = level;
  const link = await caller.lifeline.link();
  if (link.dialect.vocabulary.client.has('logging/setLevel') && link.offers('logging'))
    await caller.call('logging/setLevel', { level });
}

/** In a revision without pings, what every server answers. */
async function ping(caller: Caller, options?: CallOptions): Promise<void> {
  const link = await caller.lifeline.link();
  await caller.call(link.dialect.vocabulary.client.has('ping') ? 'ping' : 'server/discover', {}, options);
}
