import { canonical } from '../conversation/asking/canonical.js';
import { declares } from '../conversation/capability.js';
import { INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND } from '../jsonrpc/codes.js';
import { rpcError, TenonError } from '../jsonrpc/error.js';
import { isObject, type JsonObject, type Request } from '../jsonrpc/message.js';
import type { MethodName } from '../model/methods.js';
import { isMethod, methods } from '../model/methods.js';
import type { Inputs } from '../model/shapes.js';
import { type Blueprint, capabilitiesOf } from './blueprint.js';
import { callTool, failed, findTool, isForModel } from './calling.js';
import { completeArgument } from './completing.js';
import { Context } from './context.js';
import { runCustom } from './customized.js';
import { discover } from './discovering.js';
import { listen } from './listening.js';
import { listPrompts, listResources, listTemplates, listTools } from './listing.js';
import { type Next, type Operation, onion } from './middleware.js';
import { getPrompt } from './prompting.js';
import { readResource } from './reading.js';
import { complete } from './results.js';
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
  const operate = operations[method];
  if (operate === undefined || !turn.dialect.vocabulary.client.has(method)) throw unknown(method);
  const { needs } = methods[method];
  if (needs !== undefined && !declares(capabilitiesOf(blueprint), needs)) throw unknown(method);
  const params = readParams(method, request.params, turn);
  const result = whole(blueprint, await asked(blueprint, method, params, turn, operate), turn);
  const down = turn.dialect.speak.down.result(method);
  return down ? down(result, aboutOf(blueprint, method, params, turn)) : result;
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
  const run = onion(blueprint.options.use ?? [], async operation => operate(blueprint, operation, turn));
  if (!methods[method].mayAsk) return enter(run, method, params, new Context(turn, cannotAsk, params));
  const asking = turn.asking(params as Inputs, () => boundTo(method, params, turn));
  let context: Context | undefined;
  try {
    return await asking((ask, inputs) => {
      context = new Context(turn, ask, params, inputs, context);
      const visiting: Next = operation => run(operation).catch(error => askToVisit(error, turn, inputs));
      return enter(excusing(method, visiting), method, params, context);
    });
  } catch (error) {
    if (TenonError.is(error) && error.code.startsWith('client/')) throw rpcError(INTERNAL_ERROR, error.message);
    throw error;
  }
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

function cannotAsk(method: string): Promise<never> {
  return Promise.reject(
    new TenonError('handler/cannot-ask', `${method} can not be asked here`, {
      next: 'ask in a tool, a prompt or a resource read',
    }),
  );
}

/** What a state that comes back is good for: this caller, this method, these arguments. */
function boundTo(method: string, params: JsonObject, { caller }: Turn): string {
  const { _meta, inputResponses, requestState, ...call } = params;
  return canonical([caller.auth?.principal ?? null, method, call]);
}

function aboutOf(
  blueprint: Blueprint,
  method: string,
  params: JsonObject,
  turn: Turn,
): { outputSchema?: JsonObject | undefined } {
  if (method !== 'tools/call') return {};
  return { outputSchema: findTool(blueprint, params.name as string, turn).wire.outputSchema };
}
