import { canonical } from '../conversation/asking/canonical.js';
import { INVALID_PARAMS } from '../jsonrpc/codes.js';
import { rpcError, TenonError } from '../jsonrpc/error.js';
import type { JsonObject } from '../jsonrpc/message.js';
import { getOwnerKey, identify } from '../model/owner.js';
import type { CompleteParams } from '../model/shapes.js';
import type { Blueprint } from './blueprint.js';
import { compileResource } from './compiled-resource.js';
import type { Completer, Completers } from './completers.js';
import type { Context } from './context.js';
import type { Operation } from './middleware.js';
import { findPrompt } from './prompting.js';
import { complete } from './results.js';
import type { Turn } from './turn.js';

/** How many values one answer holds at the most, as the specification says. */
const MAX_VALUES = 100;

/** `completion/complete`. https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion */
export async function completeArgument(
  blueprint: Blueprint,
  { params, context }: Operation,
  turn: Turn,
): Promise<JsonObject> {
  const { ref, argument, context: known } = params as unknown as CompleteParams;
  const completers =
    ref.type === 'ref/prompt' ? ofPrompt(blueprint, ref.name, turn) : ofTemplate(blueprint, ref.uri, turn);
  const completer = completers && Object.hasOwn(completers, argument.name) ? completers[argument.name] : undefined;
  const found: Found = completer
    ? await runShared(blueprint, params, turn, () => run(completer, argument, context, known?.arguments ?? {}))
    : { values: [] };
  const values = found.values.slice(0, MAX_VALUES);
  const total = found.total ?? found.values.length;
  return complete(blueprint, { completion: { values, total, hasMore: found.hasMore ?? total > values.length } });
}

type Flights = Map<string, { readonly result: Promise<Found>; readonly turn: Turn }>;
const flights = new WeakMap<object, Flights>();

/**
 * Runs identical completions that one caller asks for at the same time once. A caller is a session, or a user with its OAuth
 * client: anonymous requests without a session may be of several people. When the first request is cancelled, the others
 * begin anew.
 */
function runShared(blueprint: Blueprint, params: JsonObject, turn: Turn, start: () => Promise<Found>): Promise<Found> {
  const owner = getOwnerKey(identify(turn.caller.auth));
  const scope = turn.session ?? (owner === undefined ? undefined : blueprint);
  if (scope === undefined) return start();
  const { _meta, ...asked } = params;
  const running: Flights = flights.get(scope) ?? new Map();
  flights.set(scope, running);
  const key = canonical([owner ?? null, asked]);
  const known = running.get(key);
  if (known !== undefined && !known.turn.signal.aborted) {
    return known.result.catch(error => {
      // The failure may only say that the other request was cancelled.
      if (known.turn.signal.aborted && !turn.signal.aborted) return runShared(blueprint, params, turn, start);
      throw error;
    });
  }
  const flight = { result: start(), turn };
  running.set(key, flight);
  const end = (): void => {
    if (running.get(key) === flight) running.delete(key);
  };
  flight.result.then(end, end);
  return flight.result;
}

function ofPrompt(blueprint: Blueprint, name: string | undefined, turn: Turn): Completers | undefined {
  const prompt = name === undefined ? undefined : findPrompt(blueprint, name, turn);
  if (prompt === undefined) throw rpcError(INVALID_PARAMS, `Unknown prompt: ${String(name).slice(0, 128)}`);
  return prompt.definition.complete;
}

function ofTemplate({ resources }: Blueprint, uri: string | undefined, { caller }: Turn): Completers | undefined {
  const definition = uri === undefined ? undefined : resources.find(uri, caller);
  if (definition === undefined || uri === undefined || !compileResource(uri, definition)) {
    throw rpcError(INVALID_PARAMS, `Unknown resource template: ${String(uri).slice(0, 256)}`);
  }
  return definition.complete as Completers | undefined;
}

interface Found {
  readonly values: readonly string[];
  readonly total?: number | undefined;
  readonly hasMore?: boolean | undefined;
}

async function run(
  completer: Completer,
  { name, value: typed }: CompleteParams['argument'],
  context: Context,
  known: { readonly [name: string]: string },
): Promise<Found> {
  if (typeof completer !== 'function') {
    const start = typed.toLowerCase();
    return { values: completer.filter(value => value.toLowerCase().startsWith(start)) };
  }
  const found = await completer(typed, { arguments: known, context });
  const values: unknown = Array.isArray(found) ? found : (found as Found | undefined)?.values;
  if (Array.isArray(values)) return Array.isArray(found) ? { values } : (found as Found);
  throw new TenonError('handler/output', `completer of "${name}": the result is not a list of values`, {
    expected: 'a list of strings, or { values }',
    got: found === null ? 'null' : typeof found,
  });
}
