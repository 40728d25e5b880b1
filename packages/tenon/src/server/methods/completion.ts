import {
  getOwnerKey,
  INVALID_PARAMS,
  identifyCaller,
  type JsonObject,
  rpcError,
  TenonError,
  toCanonicalJson,
} from '@tenon/base';
import type { CompleteParams } from '../../protocol/params-and-results.js';
import { HandlerContext } from '../context/handler-context.js';
import { finalizeResult } from '../decode-encode.js';
import type { Completer, Completers } from '../definitions/completers.js';
import type { RequestContext } from '../request-context.js';
import type { MethodCall, ServerRuntime } from '../server-runtime.js';
import { createUnknownPromptError } from './prompts.js';

/** Maximum number of values in one response, as the specification requires. */
const MAX_VALUES = 100;

/**
 * Handles `completion/complete`.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion
 */
export async function completeArgument(call: MethodCall<'completion/complete'>): Promise<JsonObject> {
  const { params, found, context, requestContext, server } = call;
  const { ref, argument, context: completionContext } = params;
  if (found === undefined) {
    if (ref.type === 'ref/prompt') throw createUnknownPromptError(server, String(ref.name), requestContext);
    throw rpcError(INVALID_PARAMS, `Unknown resource template: ${String(ref.uri).slice(0, 256)}`);
  }
  const completers = found.definition.complete as Completers | undefined;
  const completer = completers && Object.hasOwn(completers, argument.name) ? completers[argument.name] : undefined;
  const completions: CompletionValues = completer
    ? await runShared(server, params, requestContext, () =>
        runCompleter(
          completer,
          argument,
          context,
          completionContext?.arguments ?? {},
          server.options.fuzzyCompletion !== false,
        ),
      )
    : { values: [] };
  const values = completions.values.slice(0, MAX_VALUES);
  const total = completions.total ?? completions.values.length;
  return finalizeResult(server, {
    completion: { values, total, hasMore: completions.hasMore ?? total > values.length },
  });
}

type SharedCompletions = Map<
  string,
  { readonly result: Promise<CompletionValues>; readonly requestContext: RequestContext }
>;
const sharedByScope = new WeakMap<object, SharedCompletions>();

/**
 * Runs identical concurrent completions of one caller once. A caller is a session, or a user with an OAuth client.
 *
 * Anonymous requests without a session are not combined, because they may come from several people. If the first
 * request is cancelled, the others start again.
 */
function runShared(
  server: ServerRuntime,
  params: JsonObject,
  requestContext: RequestContext,
  start: () => Promise<CompletionValues>,
): Promise<CompletionValues> {
  const owner = getOwnerKey(identifyCaller(requestContext.caller.auth));
  const scope = requestContext.session ?? (owner === undefined ? undefined : server);
  if (scope === undefined) return start();
  const { _meta, ...request } = params;
  const inProgress: SharedCompletions = sharedByScope.get(scope) ?? new Map();
  sharedByScope.set(scope, inProgress);
  const key = toCanonicalJson([owner ?? null, request]);
  const existing = inProgress.get(key);
  if (existing !== undefined && !existing.requestContext.signal.aborted) {
    return existing.result.catch(error => {
      // The failure may only mean that the first request was cancelled.
      if (existing.requestContext.signal.aborted && !requestContext.signal.aborted)
        return runShared(server, params, requestContext, start);
      throw error;
    });
  }
  const entry = { result: start(), requestContext };
  inProgress.set(key, entry);
  const release = (): void => {
    if (inProgress.get(key) === entry) inProgress.delete(key);
  };
  entry.result.then(release, release);
  return entry.result;
}

interface CompletionValues {
  readonly values: readonly string[];
  readonly total?: number | undefined;
  readonly hasMore?: boolean | undefined;
}

async function runCompleter(
  completer: Completer,
  { name, value: typed }: CompleteParams['argument'],
  context: HandlerContext,
  knownArguments: { readonly [name: string]: string },
  isFuzzy: boolean,
): Promise<CompletionValues> {
  if (typeof completer !== 'function') {
    return { values: selectMatches(completer, typed, isFuzzy) };
  }
  const returned = await HandlerContext.runDefinition<unknown, unknown>(
    context,
    () => completer(typed, { arguments: knownArguments, context }),
    value => value,
  );
  const values: unknown = Array.isArray(returned) ? returned : (returned as CompletionValues | undefined)?.values;
  if (Array.isArray(values)) return Array.isArray(returned) ? { values } : (returned as CompletionValues);
  throw new TenonError('handler/output', `completer of "${name}": the result is not an array of values`, {
    expected: 'an array of strings, or { values }',
    received: returned === null ? 'null' : typeof returned,
  });
}

/**
 * Selects the values that match a typed text, the best first: those that begin with it, then those with a word that begins
 * with it, then those that contain it, then those that contain its characters in their order.
 */
function selectMatches(values: readonly string[], typed: string, isFuzzy: boolean): string[] {
  const text = typed.toLowerCase();
  const ranked: string[][] = [[], [], [], []];
  for (const value of values) {
    const rank = rankMatch(value.toLowerCase(), text);
    if (rank !== undefined) ranked[rank]?.push(value);
  }
  return isFuzzy ? ranked.flat() : (ranked[0] ?? []);
}

function rankMatch(value: string, text: string): number | undefined {
  const found = value.indexOf(text);
  if (found === 0) return 0;
  for (let at = found; at > 0; at = value.indexOf(text, at + 1))
    if (!/[\p{L}\p{N}]/u.test(value.charAt(at - 1))) return 1;
  // Nearly every value contains a single character.
  if (text.length < 2) return undefined;
  if (found > 0) return 2;
  let next = 0;
  for (const character of text) {
    const at = value.indexOf(character, next);
    if (at < 0) return undefined;
    next = at + character.length;
  }
  return 3;
}
