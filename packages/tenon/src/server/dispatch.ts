import { canonical } from '../conversation/asking/canonical.js';
import { withoutAsking } from '../conversation/asking/without-asking.js';
import { declares, missingCapability } from '../conversation/capability.js';
import { INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND } from '../jsonrpc/codes.js';
import { rpcError, TenonError } from '../jsonrpc/error.js';
import { isObject, type JsonObject, type Request } from '../jsonrpc/message.js';
import type { MethodName } from '../model/methods.js';
import { isMethod, methods } from '../model/methods.js';
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
import { type Next, type Operation, onion } from './middleware.js';
import { getPrompt } from './prompting.js';
import { readResource } from './reading.js';
import { complete } from './results.js';
import { requireScopes } from './scopes.js';
import { setLevel, subscribe, unsubscribe } from './session-settings.js';
import type { Turn } from './turn.js';
import { askToVisit } from './url-first.js';

type Operate = (blueprint: Blueprint, operation: Operation, turn: Turn) => JsonObject | Promise<JsonObject>;

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
export async function dispatch(blueprint: Blueprint, request: Request, turn: Turn): Promise<JsonObject> {
  const { method } = request;
  if (!isMethod(method)) return runCustom(blueprint, request, turn);
  const { needs, extension } = methods[method];
  const operate = operationOfExtension(blueprint, method) ?? (extension === undefined ? operations[method] : undefined);
  if (operate === undefined || !turn.dialect.vocabulary.client.has(method)) throw unknown(method);
  if (extension !== undefined) requireExtension(extension, turn);
  if (needs !== undefined && !declares(capabilitiesOf(blueprint), needs)) throw unknown(method);
  const params = readParams(method, request.params, turn);
  requireScopes(blueprint, method, params, turn);
  const result = whole(blueprint, await asked(blueprint, method, params, turn, operate), turn);
  const down = turn.dialect.speak.down.result(method);
  if (down === undefined) return result;
  const tool = method === 'tools/call' ? params.name : toolOf.get(result);
  return down(result, aboutOf(blueprint, tool, turn));
}

/** What a middleware answers by itself is a final result like any other. */
function whole(blueprint: Blueprint, result: JsonObject, { dialect }: Turn): JsonObject {
  if (!isObject(result))
    throw new TenonError('handler/result', 'a middleware returned no result', { expected: 'an object' });
  return result.resultType === undefined && dialect.opening === 'per-request' ? complete(blueprint, result) : result;
}

function unknown(method: string): TenonError {
  return rpcError(METHOD_NOT_FOUND, `Method not found: ${method.slice(0, 128)}`);
}

function readParams(method: MethodName, raw: JsonObject = {}, { dialect }: Turn): JsonObject {
  const params = dialect.speak.up.params(method)?.(raw, {}) ?? raw;
  const problem = methods[method].params(params);
  if (problem) throw rpcError(INVALID_PARAMS, `Invalid params: ${problem}`);
  return params;
}

/** Runs the operation inside its onion, in the manner in which this client can be asked. */
async function asked(
  blueprint: Blueprint,
  method: MethodName,
  params: JsonObject,
  turn: Turn,
  operate: Operate,
): Promise<JsonObject> {
  const run = onion(blueprint.options.use ?? [], async operation => {
    // A middleware may have made another request of it.
    if (operation.params !== params) requireScopes(blueprint, method, operation.params, turn);
    return operate(blueprint, operation, turn);
  });
  if (!methods[method].mayAsk) return enter(run, method, params, new Context(turn, withoutAsking(method), params));
  const asking = turn.asking(params as Inputs, () => boundTo(blueprint, method, params, turn));
  let context: Context | undefined;
  try {
    return await asking((entered, inputs) => {
      context = new Context(turn, entered, params, inputs, context);
      const visiting: Next = operation => run(operation).catch(error => askToVisit(error, turn, inputs));
      return enter(excusing(method, visiting), method, params, context);
    });
  } catch (error) {
    if (TenonError.is(error) && error.code.startsWith('client/')) throw rpcError(INTERNAL_ERROR, error.message);
    throw error;
  }
}

/** What belongs to an extension is for clients that have it, where each request says so. */
function requireExtension(extension: string, { dialect, caller }: Turn): void {
  if (dialect.opening === 'handshake' || caller.capabilities.extensions?.[extension] !== undefined) return;
  throw missingCapability(dialect, { extensions: { [extension]: {} } });
}

function operationOfExtension(blueprint: Blueprint, method: string): Operate | undefined {
  const operate = operationOf(blueprint, method);
  return operate && ((_, operation, turn) => operate(operation, turn));
}

/** A middleware may throw what is meant for the model, as a tool may. */
function excusing(method: MethodName, run: Next): Next {
  if (method !== 'tools/call') return run;
  return async operation => {
    try {
      return await run(operation);
    } catch (error) {
      if (isForModel(error)) return failed(error.message);
      throw error;
    }
  };
}

function enter(run: Next, method: string, params: JsonObject, context: Context): Promise<JsonObject> {
  const name = params.name ?? params.uri;
  return run({ method, name: typeof name === 'string' ? name : undefined, params, context });
}

/** What a state that comes back is good for: this server, this caller, this method, these arguments. */
function boundTo({ info }: Blueprint, method: string, params: JsonObject, { caller }: Turn): string {
  const { _meta, inputResponses, requestState, ...call } = params;
  return canonical([info.name, caller.auth?.principal ?? null, method, call]);
}

/** The tool whose result it is says what its structured content is. */
function aboutOf(
  { tools, options: { front } }: Blueprint,
  name: unknown,
  turn: Turn,
): { outputSchema?: JsonObject | undefined } {
  if (typeof name !== 'string') return {};
  if (front) return { outputSchema: front.outputSchemaOf(name, turn) };
  const tool = tools.find(name, turn.caller);
  return tool ? { outputSchema: compileTool(name, tool).wire.outputSchema } : {};
}
