import { getJsonType, type JsonObject, TenonError } from '@tenon/base';
import { checkMeta } from '../protocol/check-meta.js';
import type { LoggingLevel } from '../protocol/content.js';
import { hasCapability } from '../protocol/missing-capabilities.js';
import type { CallToolResult, GetPromptResult } from '../protocol/params-and-results.js';
import type { CallOptions, InternalCallOptions } from './call-options.js';
import { CallPipeline } from './calls/call-pipeline.js';
import { CompletionRequests } from './calls/completion-requests.js';
import { listAll } from './calls/pages.js';
import { getToolValue } from './calls/results.js';
import type { Client, ServerTypes } from './client.js';
import type { ServerDetails, ServerEndpoint } from './connection/endpoint.js';
import { requireClientOptions, requireLogLevel, requireMessage } from './option-checks.js';
import type { ClientOptions } from './options.js';
import { createClientTasks } from './tasks/client-tasks.js';
import { watch } from './watch/watch.js';

/** Connects to an endpoint. Rejects with a `TenonError` if no supported server responds. */
export async function connectTo<S extends ServerTypes = ServerTypes>(
  endpoint: ServerEndpoint,
  options: ClientOptions = {},
): Promise<Client<S>> {
  requireClientOptions(options);
  if (options.caller !== undefined && endpoint.kind !== 'memory')
    throw new TenonError('connect/caller', 'the option `caller` is only for a server in this process', {
      expected: 'the result of `createServer` as the target',
      hint: 'pass `auth` in the target: `connect({ url, auth })`',
    });
  const { extensions = [] } = endpoint;
  // The endpoint has extensions too, such as sign-in methods.
  const allOptions =
    extensions.length === 0
      ? options
      : { ...options, extensions: [...(options.extensions ?? []), ...extensions.map(id => ({ id }))] };
  const pipeline = new CallPipeline(endpoint, allOptions);
  try {
    await pipeline.connections.getConnection();
    await restoreLogLevel(pipeline);
    announceRootChanges(pipeline);
  } catch (error) {
    await pipeline.connections.close();
    throw error;
  }
  return createClient(pipeline);
}

/**
 * Notifies the server of changes of a roots source until the client is closed. A new connection sends no notification,
 * because the server lists the roots anyway.
 */
function announceRootChanges({ options: { roots }, emitter, connections }: CallPipeline): void {
  if (roots === undefined || typeof roots === 'function' || !('subscribe' in roots)) return;
  const unsubscribe = roots.subscribe(
    () => void connections.openConnection?.notify('notifications/roots/list_changed'),
  );
  emitter.on('state', state => {
    if (state === 'closed') unsubscribe();
  });
}

function createClient(pipeline: CallPipeline): Client {
  const completions = new CompletionRequests(pipeline);
  const { connections, emitter } = pipeline;
  // A gateway reads it for each call, and it changes only with the connection.
  let shown: { readonly details: ServerDetails; readonly server: Client['server'] } | undefined;
  return {
    tools: createCallProxy(async (name, input, options) =>
      getToolValue(pipeline, await callTool(pipeline, name, input, options), name),
    ),
    prompts: createCallProxy((name, input, options) => getPrompt(pipeline, name, input, options)),
    tasks: createClientTasks(pipeline),
    listTools: options => pipeline.listTools(options),
    callTool: (name, input, options) => callTool(pipeline, name, input, options),
    listPrompts: options => listAll(pipeline, 'prompts/list', 'prompts', options),
    getPrompt: (name, input, options) => getPrompt(pipeline, name, input, options),
    listResources: options => listAll(pipeline, 'resources/list', 'resources', options),
    listResourceTemplates: options => listAll(pipeline, 'resources/templates/list', 'resourceTemplates', options),
    readResource: (uri, options) => pipeline.request('resources/read', { uri }, options),
    complete: async (params, options) => completions.complete(params, options),
    watch: (target, options) => watch(pipeline, target, options),
    setLogLevel: level => setLogLevel(pipeline, level),
    notifyRootsChanged: async () => (await connections.getConnection()).notify('notifications/roots/list_changed'),
    ping: options => ping(pipeline, options),
    call: (method: string, params?: JsonObject, options?: InternalCallOptions) =>
      pipeline.call(method, params, options),
    async notify(method, params) {
      requireMessage('notify', method, params);
      checkMeta(method, params?._meta);
      const connection = await connections.getConnection();
      connection.checkSendable(method, params);
      return connection.notify(method, params);
    },
    on: (event, listener) => emitter.on(event, listener),
    get state() {
      return connections.state;
    },
    get server() {
      const { server: details, dialect } = connections.lastConnection;
      const { protocolVersion } = dialect;
      if (shown?.details !== details || shown.server.protocolVersion !== protocolVersion)
        shown = { details, server: { ...details, protocolVersion } };
      return shown.server;
    },
    close: () => connections.close(),
    [Symbol.asyncDispose]: () => connections.close(),
  };
}

type CallByName = (name: string, input: JsonObject | undefined, options: CallOptions | undefined) => Promise<unknown>;

/**
 * Creates an object with a function for every name except `then`, because an object with `then` would be treated as a
 * promise.
 */
function createCallProxy(call: CallByName): object {
  return new Proxy(Object.create(null), {
    get: (_, name) =>
      typeof name === 'symbol' || name === 'then'
        ? undefined
        : (input?: JsonObject, options?: CallOptions) => call(name, input, options),
  });
}

function callTool(
  pipeline: CallPipeline,
  name: string,
  input: JsonObject = {},
  options?: CallOptions,
): Promise<CallToolResult> {
  return pipeline.request('tools/call', { name, arguments: input }, options);
}

/** Gets a prompt. Its arguments are sent as text. */
async function getPrompt(
  pipeline: CallPipeline,
  name: string,
  input: JsonObject = {},
  options?: CallOptions,
): Promise<GetPromptResult> {
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  const texts = given.map(([argument, value]) => [argument, encodeScalar(name, argument, value)] as const);
  return pipeline.request('prompts/get', { name, arguments: Object.fromEntries(texts) }, options);
}

function encodeScalar(name: string, argument: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'bigint' || Number.isFinite(value)) return String(value);
  throw new TenonError('call/argument', `invalid argument "${argument}" for prompt "${name}"`, {
    expected: 'a string, a finite number or a boolean',
    received: `a value of type ${getJsonType(value)}`,
    hint: 'pass a string in the format that the prompt documents',
  });
}

/** Sets the log level for later requests. On versions with sessions, the level is sent to the server. */
async function setLogLevel(pipeline: CallPipeline, level: LoggingLevel): Promise<void> {
  requireLogLevel(level);
  pipeline.logLevel = level;
  await pipeline.connections.getConnection();
  await sendLogLevel(pipeline);
}

/** Sends the log level on the open connection, if its version has sessions and the server has logs. */
async function sendLogLevel(pipeline: CallPipeline): Promise<void> {
  const { logLevel: level, connections } = pipeline;
  const { dialect, server } = connections.lastConnection;
  if (
    level !== undefined &&
    dialect.methods.client.has('logging/setLevel') &&
    hasCapability(server.capabilities, 'logging')
  )
    await pipeline.call('logging/setLevel', { level });
}

/** Sends the log level now and on each later connection. A server that refuses it can still be used. */
function restoreLogLevel(pipeline: CallPipeline): Promise<void> {
  const send = () => sendLogLevel(pipeline).catch(error => pipeline.emitter.emit('error', error));
  pipeline.emitter.on('state', state => void (state === 'connected' && send()));
  return send();
}

/** Pings the server. On versions without `ping`, it sends a request that every server supports. */
async function ping(pipeline: CallPipeline, options?: CallOptions): Promise<void> {
  const connection = await pipeline.connections.getConnection();
  await pipeline.call(connection.dialect.methods.client.has('ping') ? 'ping' : 'server/discover', {}, options);
}
