import type { Service } from '../conversation/service.js';
import type { Channel } from '../jsonrpc/channel.js';
import { TenonError } from '../jsonrpc/error.js';
import type { JsonObject } from '../jsonrpc/message.js';
import type { LoggingLevel } from '../model/content.js';
import { checkMeta } from '../model/meta-keys.js';
import type { CallToolResult, GetPromptResult } from '../model/shapes.js';
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
  return clientOf(caller);
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

function clientOf(caller: Caller): Client {
  const { lifeline, emitter } = caller;
  return {
    tools: callsByName((name, input, options) => callForValue(caller, name, input, options)),
    prompts: callsByName((name, input, options) => getPrompt(caller, name, input, options)),
    tasks: clientTasks(caller),
    listTools: options => caller.listTools(options),
    callTool: (name, input, options) => callTool(caller, name, input, options),
    listPrompts: options => pages(caller, 'prompts/list', 'prompts', options),
    getPrompt: (name, input, options) => getPrompt(caller, name, input, options),
    listResources: options => pages(caller, 'resources/list', 'resources', options),
    listResourceTemplates: options => pages(caller, 'resources/templates/list', 'resourceTemplates', options),
    readResource: (uri, options) => caller.request('resources/read', { uri }, options),
    complete: async (params, options) => (await caller.request('completion/complete', params, options)).completion,
    watch: (target, { signal } = {}) => watch(caller, target, signal),
    setLogLevel: level => setLogLevel(caller, level),
    rootsChanged: async () => (await lifeline.link()).notify('notifications/roots/list_changed'),
    ping: options => ping(caller, options),
    call: (method: string, params?: JsonObject, options?: CallOptions) => caller.call(method, params, options),
    async notify(method, params) {
      checkMeta(method, params?._meta);
      return (await lifeline.link()).notify(method, params);
    },
    on: (event, listener) => emitter.on(event, listener),
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
}

type CallByName = (name: string, input: JsonObject | undefined, options: CallOptions | undefined) => Promise<unknown>;

/** Makes an object that has a function for any name, except for `then`: an object that has it would be taken for a promise. */
function callsByName(call: CallByName): object {
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
  return caller.request('tools/call', { name, arguments: input }, options);
}

/** Calls a tool and returns its value. Throws `tool/failed` when the tool says that it failed. */
async function callForValue(caller: Caller, name: string, input?: JsonObject, options?: CallOptions): Promise<unknown> {
  return valueOfTool(caller, await callTool(caller, name, input, options), name);
}

async function getPrompt(
  caller: Caller,
  name: string,
  input?: JsonObject,
  options?: CallOptions,
): Promise<GetPromptResult> {
  return caller.request('prompts/get', { name, arguments: encodePromptArguments(name, input) }, options);
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
