import type { Run } from '../conversation/asking/asking.js';
import { canonical } from '../conversation/asking/canonical.js';
import { checkQuestionMethods } from '../conversation/asking/check-questions.js';
import { withoutAsking } from '../conversation/asking/without-asking.js';
import { declares, missingCapability } from '../conversation/capability.js';
import type { Reshape } from '../dialects/dialect.js';
import { INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND } from '../jsonrpc/codes.js';
import { rpcError, TenonError } from '../jsonrpc/error.js';
import { follow, rescue } from '../jsonrpc/follow.js';
import { isLasting, lasting } from '../jsonrpc/lasting.js';
import { isObject, type JsonObject, type Request } from '../jsonrpc/message.js';
import type { MethodName } from '../model/methods.js';
import { isMethod, methods } from '../model/methods.js';
import { getOwnerKey, identify } from '../model/owner.js';
import type { Inputs } from '../model/shapes.js';
import type { Blueprint } from './blueprint.js';
import { callTool, failed, isForModel } from './calling.js';
import { capabilitiesOf } from './capabilities.js';
import { compileTool } from './compiled-tool.js';
import { completeArgument } from './completing.js';
import { Context } from './context.js';
import { runCustom } from './customized.js';
import { discover } from './discovering.js';
import { operationOf, toolOf } from './extensions.js';
import { listen } from './listening.js';
import { listPrompts, listResources, listTemplates, listTools } from './listing.js';
import { layersOn, type Middleware, type Next, type Operation, onion } from './middleware.js';
import { getPrompt } from './prompting.js';
import { readResource } from './reading.js';
import { isReply } from './reply.js';
import { complete } from './results.js';
import { requireScopes } from './scopes.js';
import { setLevel, subscribe, unsubscribe } from './session-settings.js';
import { encodeFailure } from './tool-result.js';
import type { Turn } from './turn.js';
import { askToVisit } from './url-first.js';

/** What comes of a request: at once where it can be. */
type Awaitable = JsonObject | Promise<JsonObject>;
type Operate = (blueprint: Blueprint, operation: Operation, turn: Turn) => Awaitable;

/** What each method of a client does. Opening is not here: it makes the turn that these are given. */
const operations: { readonly [M in MethodName]?: Operate } = {
  'server/discover': discover,
  ping: () => ({}),
  'tools/list': listTools,
  'tools/call': callTool,
  'resources/list': listResources,
  'resources/templates/list': listTemplates,
  'resources/read': readResource,
  'resources/subscribe': subscribe,
  'resources/unsubscribe': unsubscribe,
  'prompts/list': listPrompts,
  'prompts/get': getPrompt,
  'completion/complete': completeArgument,
  'logging/setLevel': setLevel,
  'subscriptions/listen': listen,
};

/** One request, from the peer's words to the peer's words. What it throws is made for the peer, or to be masked. */
export function dispatch(blueprint: Blueprint, request: Request, turn: Turn): Awaitable {
  const { method } = request;
  if (!isMethod(method)) return runCustom(blueprint, request, turn);
  const { needs, extension } = methods[method];
  const operate = operationFor(blueprint, method);
  if (operate === undefined || !turn.dialect.vocabulary.client.has(method)) throw unknown(method, turn);
  if (extension !== undefined) requireExtension(extension, turn);
  if (needs !== undefined && !declares(capabilitiesOf(blueprint), needs)) throw unknown(method);
  const params = readParams(method, request.params, turn);
  requireScopes(blueprint, method, params, turn);
  blueprint.rateLimits.check(method, turn.caller);
  return follow(asked(blueprint, method, params, turn, operate), result => {
    const words = turn.dialect.speak.down.result(method);
    const all = whole(blueprint, result, turn);
    return words === undefined ? all : translated(blueprint, words, all, method, params, turn);
  });
}

/** What the method does. Only what stands in front of others, and extensions that have the method, do it their own way. */
function operationFor(blueprint: Blueprint, method: MethodName): Operate | undefined {
  const own = methods[method].extension === undefined ? operations[method] : undefined;
  if (own !== undefined && blueprint.options.front === undefined) return own;
  const theirs = operationOf(blueprint, method);
  return theirs ? (_, operation, turn) => theirs(operation, turn) : own;
}

/** A result in the words of the peer's revision. The tool whose result it is says what its structured content is. */
function translated(
  { tools, options: { front } }: Blueprint,
  words: Reshape,
  result: JsonObject,
  method: MethodName,
  { name: called }: JsonObject,
  turn: Turn,
): Awaitable {
  const name = method === 'tools/call' ? called : toolOf.get(result);
  if (typeof name !== 'string') return isLasting(result) ? translatedOnce(words, result) : words(result, {});
  if (front) return follow(front.outputSchemaOf(name, turn), outputSchema => words(result, { outputSchema }));
  const tool = tools.find(name, turn.caller);
  return words(result, tool ? { outputSchema: compileTool(name, tool).wire.outputSchema } : {});
}

const translations = new WeakMap<JsonObject, Map<Reshape, JsonObject>>();

/** A result that lasts does so in the words of each revision. */
function translatedOnce(words: Reshape, result: JsonObject): JsonObject {
  const known = translations.get(result) ?? new Map<Reshape, JsonObject>();
  const before = known.get(words);
  if (before) return before;
  const said = words(result, {});
  const lasts = isLasting(said) ? said : lasting(said);
  translations.set(result, known.set(words, lasts));
  return lasts;
}

/** What a middleware answers by itself is a final result like any other. */
function whole(blueprint: Blueprint, result: JsonObject, { dialect }: Turn): JsonObject {
  if (!isObject(result))
    throw new TenonError('handler/result', 'a middleware returned no result', { expected: 'an object' });
  return result.resultType === undefined && dialect.opening === 'per-request' ? complete(blueprint, result) : result;
}

function unknown(method: string, turn?: Turn): TenonError {
  if (turn?.dialect.needsSession?.has(method)) {
    return rpcError(METHOD_NOT_FOUND, `Method not found: ${method} needs a session, and this server keeps none`);
  }
  return rpcError(METHOD_NOT_FOUND, `Method not found: ${method.slice(0, 128)}`);
}

function readParams(method: MethodName, raw: JsonObject = {}, { dialect }: Turn): JsonObject {
  const params = dialect.speak.up.params(method)?.(raw, {}) ?? raw;
  const problem = methods[method].params(params);
  if (problem) throw rpcError(INVALID_PARAMS, `Invalid params: ${problem}`);
  return params;
}

/** Runs the operation inside its onion, in the manner in which this client can be asked. */
function asked(blueprint: Blueprint, method: MethodName, params: JsonObject, turn: Turn, operate: Operate): Awaitable {
  const core = (operation: Operation): Awaitable => {
    // A middleware may have made another request of it.
    if (operation.params !== params) requireScopes(blueprint, method, operation.params, turn);
    return operate(blueprint, operation, turn);
  };
  const layers = layersOn(blueprint.options.use, method);
  const run = layers.length === 0 ? core : inLayers(layers, core);
  if (!methods[method].mayAsk)
    return run(operationOn(method, params, new Context(turn, withoutAsking(method), params, blueprint.options.state)));
  const asking = turn.asking(params as Inputs, () => boundTo(blueprint, method, params, turn));
  let context: Context | undefined;
  const asker = (entered: Run, inputs: Inputs): Awaitable => {
    const now = new Context(turn, entered, params, blueprint.options.state, inputs, context);
    context = now;
    const operation = operationOn(method, params, now);
    return rescue(
      () => run(operation),
      error => excused(error, operation, turn, inputs),
    );
  };
  return rescue(() => asking(asker), unasked);
}

/** Runs the layers around the core. A layer may return questions of its own. */
function inLayers(layers: readonly Middleware[], core: (operation: Operation) => Awaitable): Next {
  const run = onion(layers, async operation => core(operation));
  return async operation => {
    const result = await run(operation);
    checkQuestionMethods(`middleware of ${operation.method} "${operation.name ?? ''}"`, result);
    return result;
  };
}

/** What is thrown in a handler or a layer: a URL to visit is told in the revision's way, and some is meant for the model. */
function excused(error: unknown, { method, name = '' }: Operation, turn: Turn, inputs: Inputs): JsonObject {
  try {
    return askToVisit(error, turn, inputs);
  } catch (thrown) {
    if (method === 'tools/call' && isForModel(thrown)) return failed(thrown.message);
    if (method === 'tools/call' && isReply(thrown)) return encodeFailure(name, thrown);
    throw thrown;
  }
}

/** What a client can not be asked is an error, of which it is told. */
function unasked(error: unknown): never {
  if (TenonError.is(error) && error.code.startsWith('client/')) throw rpcError(INTERNAL_ERROR, error.message);
  throw error;
}

function operationOn(method: string, params: JsonObject, context: Context): Operation {
  const name = params.name ?? params.uri;
  return { method, name: typeof name === 'string' ? name : undefined, params, context };
}

/** What belongs to an extension is for clients that have it, where each request says so. */
function requireExtension(extension: string, { dialect, caller }: Turn): void {
  if (dialect.opening === 'handshake' || caller.capabilities.extensions?.[extension] !== undefined) return;
  throw missingCapability(dialect, { extensions: { [extension]: {} } });
}

/** What a state that comes back is good for: this server, this caller, this method, these arguments. */
function boundTo({ info }: Blueprint, method: string, params: JsonObject, { caller }: Turn): string {
  const { _meta, inputResponses, requestState, ...call } = params;
  return canonical([info.name, getOwnerKey(identify(caller.auth)) ?? null, method, call]);
}
