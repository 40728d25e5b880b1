import {
  describeIssues,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  isObject,
  JsonCache,
  type JsonObject,
  type LazyAbortSignal,
  METHOD_NOT_FOUND,
  rpcError,
  runWithTimeout,
  systemClock,
  TenonError,
} from '@tenon/base';
import { requireSendable } from '../../jsonrpc/sendable-values.js';
import type { ClientCapabilities } from '../../protocol/capabilities.js';
import { checkMetaKeys, checkNestedMeta } from '../../protocol/check-meta.js';
import type { Root } from '../../protocol/content.js';
import type { ElicitFormParams, ElicitResult, FormValue } from '../../protocol/input-requests.js';
import type { MethodName } from '../../protocol/method-types.js';
import { isMethod, methods, toParams } from '../../protocol/methods.js';
import { findMissingForRequest } from '../../protocol/missing-capabilities.js';
import { TASKS } from '../../protocol/tasks.js';
import { findRefusal } from '../../schemas/peer-refusal.js';
import type { PeerSchemaValidator } from '../../schemas/peer-schema.js';
import type { ClientHandlers, ClientOptions, InternalRequestInfo, ServerRequestInfo } from '../options.js';

/** Returns the capabilities that the client declares: those for which it has handlers. */
export function createCapabilities(options: ClientOptions): ClientCapabilities {
  const { elicit, elicitUrl, sample, sampleTools, roots, experimental, tasks = true } = options;
  const own = (options.extensions ?? []).map(({ id, settings = {} }) => [id, settings] as const);
  const extensions = Object.fromEntries<JsonObject>([...(tasks ? [[TASKS, {}] as const] : []), ...own]);
  return {
    ...options.forwarder?.capabilities,
    ...(elicit || elicitUrl
      ? { elicitation: { ...(elicit ? { form: {} } : {}), ...(elicitUrl ? { url: {} } : {}) } }
      : {}),
    ...(sample ? { sampling: sampleTools ? { tools: {} } : {} } : {}),
    ...(roots ? { roots: {} } : {}),
    ...(Object.keys(extensions).length > 0 ? { extensions } : {}),
    ...(experimental ? { experimental: { ...experimental } } : {}),
  };
}

/** Default maximum duration of a handler, in milliseconds. It is long because a person may have to answer. */
const ANSWER_TIMEOUT = 30 * 60_000;

/** Options for handling a request of the server. */
export type ServerRequestOptions = ClientHandlers & Pick<ClientOptions, 'answerTimeout' | 'clock'>;

/**
 * Handles one request of the server, in the form of the newest version. Throws the error for the server.
 * @param isChecked True if `findIssue` found no issue. Default: false.
 */
export async function handleServerRequest(
  method: string,
  params: JsonObject,
  answers: ServerRequestOptions,
  info: InternalRequestInfo,
  isChecked = false,
): Promise<JsonObject> {
  if (!isServerRequest(method)) throw createMethodNotFoundError(method);
  const issue = methods[method].params(params);
  if (issue) throw createParamsError(issue);
  const missing = findMissingHandler(method, params, answers);
  if (missing) throw missing;
  try {
    const result = await runUntilTimeout(method, answers, info, async own => {
      const details = isChecked ? undefined : await findIssue(method, params);
      if (details) throw createParamsError(details);
      return runHandler(method, params, answers, own);
    });
    // The server would refuse an invalid answer.
    const { server } = info;
    requireSendable('a value', result, 'answer/malformed', { peer: server }, method);
    requireWellFormed(method, result, server);
    return result;
  } catch (error) {
    if (TenonError.is(error) && error.rpcCode !== undefined) throw error;
    throw info.signal.aborted ? rpcError(INTERNAL_ERROR, 'The input request was cancelled') : error;
  }
}

/** Throws if the response to a request of the server has not the form that the specification requires. */
function requireWellFormed(method: MethodName, result: JsonObject, server: string | undefined): void {
  const fault = methods[method].result(result);
  if (fault === undefined) return;
  throw new TenonError('answer/malformed', `the answer to ${method} is malformed: ${fault}`, { peer: server });
}

const isServerRequest = (method: string): method is MethodName =>
  isMethod(method) && methods[method].sender === 'server';

/** Returns the error for the server if the client has no handler for a request. */
export function findMissingHandler(
  method: string,
  params: JsonObject,
  answers: ClientHandlers,
): TenonError | undefined {
  if (!isServerRequest(method)) return createMethodNotFoundError(method);
  const missing = findMissingForRequest(method, params, createCapabilities(answers));
  if (missing === undefined) return undefined;
  if (!missing.elicitation || !(answers.elicit || answers.elicitUrl)) return createMethodNotFoundError(method);
  const mode = params.mode === 'url' ? 'url' : 'form';
  return createParamsError(`elicitation mode ${mode} was not declared by the client. Use a declared mode`);
}

const createParamsError = (issue: string): TenonError => rpcError(INVALID_PARAMS, `Invalid params: ${issue}`);

let checks: typeof import('./input-request-checks.js') | undefined;

/** Returns the issue of the params of an input request, so that no handler gets malformed ones. */
export async function findIssue(method: string, params: JsonObject): Promise<string | undefined> {
  checks ??= await import('./input-request-checks.js');
  return checks.findInputRequestIssue(method, params);
}

/** Runs a handler until `answerTimeout`. After it the signal of the handler is aborted and its result is ignored. */
function runUntilTimeout<T>(
  method: string,
  { answerTimeout: timeout = ANSWER_TIMEOUT, clock = systemClock }: ServerRequestOptions,
  info: InternalRequestInfo,
  run: (info: ServerRequestInfo) => Promise<T>,
): Promise<T> {
  const runOwn = (own: LazyAbortSignal) =>
    run({
      ...info,
      get signal() {
        return own.signal;
      },
    });
  return runWithTimeout(runOwn, {
    clock,
    timeout,
    signal: info.signal,
    onTimeout() {
      throw new TenonError('answer/timeout', `the handler for ${method} timed out after ${timeout} ms`, {
        peer: info.server,
        hint: 'raise `answerTimeout` if users need more time',
      });
    },
  });
}

async function runHandler(
  method: string,
  params: JsonObject,
  answers: ClientHandlers,
  info: ServerRequestInfo,
): Promise<JsonObject> {
  if (answers.forwarder) return answers.forwarder.forward(method, params, info);
  let result: JsonObject;
  if (method === 'sampling/createMessage') result = { ...(await answers.sample?.(toParams(method, params), info)) };
  else if (method === 'roots/list') result = { roots: await readRoots(answers, info.server) };
  else result = { ...(await handleElicitation(params, answers, info)) };
  // A value that is not JSON is refused when the response is written.
  checkNestedMeta(`the answer to ${method}`, result, checkMetaKeys);
  return result;
}

/** Returns the roots from the form that the application used. `server` is the name of the server that gets them. */
export async function readRoots(
  { roots = [] }: Pick<ClientHandlers, 'roots'>,
  server: string | undefined,
): Promise<readonly Root[]> {
  if (typeof roots === 'function') return checkRoots(await roots(), server);
  return checkRoots('list' in roots ? await roots.list() : roots, server);
}

/** Matches `..` segments, including percent-encoded ones. */
const PARENT_SEGMENT = /([/\\]|%2f|%5c)(\.|%2e){2}([/\\?#]|%2f|%5c|$)/i;

/** Checks the roots. A root grants access to everything below it, so it must not contain `..` segments. */
function checkRoots(roots: readonly Root[], server: string | undefined): readonly Root[] {
  // Callers without types return anything.
  requireWellFormed('roots/list', { roots }, server);
  for (const { uri } of roots) {
    if (/^file:\/\//.test(uri) && !PARENT_SEGMENT.test(uri)) continue;
    throw new TenonError('answer/root', 'the URI of a root is not a file: URI', {
      peer: server,
      expected: 'a file: URI without ".."',
    });
  }
  return roots;
}

async function handleElicitation(
  params: JsonObject,
  answers: ClientHandlers,
  info: ServerRequestInfo,
): Promise<ElicitResult> {
  const form = toParams('elicitation/create', params);
  if (form.mode === 'url') return (await answers.elicitUrl?.(form, info)) ?? { action: 'cancel' };
  const result = (await answers.elicit?.(form, info)) ?? { action: 'cancel' };
  if (result.action !== 'accept') return { action: result.action };
  const content = fillDefaults(form, result.content ?? {});
  formValidators ??= new JsonCache((await import('../../schemas/peer-schema.js')).compilePeerSchema);
  const refusal = findRefusal(formValidators.get({ ...form.requestedSchema }).check(content));
  if (refusal === undefined) return { ...result, content };
  throw new TenonError('answer/form', `the answer does not match the form: ${describeIssues(refusal.issues)}`, {
    peer: info.server,
  });
}

/** Validators of forms, created with the first accepted form. Servers often send the same form again. */
let formValidators: JsonCache<PeerSchemaValidator> | undefined;

/** Sets the defaults of missing fields. A default beyond the safe range of integers may be another number than the server sent. */
function fillDefaults(
  { requestedSchema }: ElicitFormParams,
  content: { [name: string]: FormValue },
): { [name: string]: FormValue } {
  const defaults = Object.entries(requestedSchema?.properties ?? {}).flatMap(([name, field]) =>
    isObject(field) &&
    field.default !== undefined &&
    !(typeof field.default === 'number' && Math.abs(field.default) > Number.MAX_SAFE_INTEGER)
      ? [[name, field.default as FormValue]]
      : [],
  );
  return { ...Object.fromEntries(defaults), ...content };
}

function createMethodNotFoundError(method: string): TenonError {
  return rpcError(METHOD_NOT_FOUND, `Method not found: ${method.slice(0, 128)}`);
}
