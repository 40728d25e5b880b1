import { lacking } from '../conversation/capability.js';
import type { Dialect } from '../dialects/dialect.js';
import { systemClock } from '../jsonrpc/clock.js';
import { INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND } from '../jsonrpc/codes.js';
import { rpcError, TenonError } from '../jsonrpc/error.js';
import { isObject, type JsonObject } from '../jsonrpc/message.js';
import type { ElicitFormParams, ElicitResult, ElicitUrlParams, FormValue } from '../model/asking.js';
import type { ClientCapabilities } from '../model/capabilities.js';
import type { Root } from '../model/content.js';
import { RELATED_TASK } from '../model/meta.js';
import { checkNestedMeta } from '../model/meta-keys.js';
import { isMethod, type MethodName, methods } from '../model/methods.js';
import { TASKS } from '../model/tasks.js';
import { describeIssues } from '../schemas/issues.js';
import type { Answers, Asked, ClientOptions } from './options.js';

/** What the client declares: what it can answer, and nothing else. */
export function capabilitiesOf(options: ClientOptions): ClientCapabilities {
  const { elicit, elicitUrl, sample, sampleTools, roots, experimental } = options;
  const extensions = extensionsOf(options);
  return {
    ...options.passesOn?.capabilities,
    ...(elicit || elicitUrl
      ? { elicitation: { ...(elicit ? { form: {} } : {}), ...(elicitUrl ? { url: {} } : {}) } }
      : {}),
    ...(sample ? { sampling: sampleTools ? { tools: {} } : {} } : {}),
    ...(roots ? { roots: {} } : {}),
    ...(Object.keys(extensions).length > 0 ? { extensions } : {}),
    ...(experimental ? { experimental: { ...experimental } } : {}),
  };
}

function extensionsOf({ extensions = [], tasks = true }: ClientOptions): { [id: string]: JsonObject } {
  const own = extensions.map(({ id, settings = {} }) => [id, settings] as const);
  return Object.fromEntries([...(tasks ? [[TASKS, {}] as const] : []), ...own]);
}

/** Time that a handler may take, in milliseconds: somebody may have gone to lunch. */
const ANSWER_TIMEOUT = 30 * 60_000;

/** What a question is answered by. */
export type Answering = Answers & Pick<ClientOptions, 'answerTimeout' | 'clock'>;

/** Names that clients in the field answer to. */
const ALIASES: { readonly [method: string]: string | undefined } = { 'sampling/complete': 'sampling/createMessage' };

function inOurWords(method: string): string {
  return Object.hasOwn(ALIASES, method) ? (ALIASES[method] as string) : method;
}

/** Answers one question of the server, in our words. Throws what the server is to be told. */
export async function answer(asked: string, params: JsonObject, answers: Answering, about: Asked): Promise<JsonObject> {
  const method = inOurWords(asked);
  if (!isMethod(method) || methods[method].from !== 'server') throw unknown(asked);
  const problem = methods[method].params(params);
  if (problem) throw rpcError(INVALID_PARAMS, `Invalid params: ${problem}`);
  const lacks = lacking(method, params, capabilitiesOf(answers));
  if (lacks) throw lacks.elicitation && (answers.elicit || answers.elicitUrl) ? undeclaredMode(params) : unknown(asked);
  try {
    return wellFormed(method, await inTime(method, answers, about, own => run(method, params, answers, own)), about);
  } catch (error) {
    if (TenonError.is(error) && error.rpc !== undefined) throw error;
    throw about.signal.aborted ? rpcError(INTERNAL_ERROR, 'The question was withdrawn') : error;
  }
}

/** A handler has until `answerTimeout`; then its signal is aborted, and nobody waits for it any longer. */
function inTime<T>(method: string, answers: Answering, about: Asked, work: (about: Asked) => Promise<T>): Promise<T> {
  const { answerTimeout: most = ANSWER_TIMEOUT, clock = systemClock } = answers;
  const controller = new AbortController();
  const withdraw = () => controller.abort(about.signal.reason);
  about.signal.addEventListener('abort', withdraw, { once: true });
  if (about.signal.aborted) withdraw();
  return new Promise<T>((resolve, reject) => {
    const late = new TenonError('answer/late', `${method} was not answered within ${most} ms`, {
      peer: about.server,
      next: 'raise `answerTimeout` if people need that long',
    });
    const off = clock.after(most, () => {
      reject(late);
      controller.abort(late);
    });
    const rest = () => {
      off();
      about.signal.removeEventListener('abort', withdraw);
    };
    work({ ...about, signal: controller.signal })
      .then(resolve, reject)
      .finally(rest);
  });
}

/** What the host's own handler returned must be an answer: the server would refuse it, or wait for it in vain. */
function wellFormed(method: MethodName, result: JsonObject, { server }: Asked): JsonObject {
  const problem = methods[method].result(result);
  if (problem === undefined) return result;
  throw new TenonError('answer/malformed', `the answer to ${method} is malformed: ${problem}`, { peer: server });
}

async function run(method: string, params: JsonObject, answers: Answers, about: Asked): Promise<JsonObject> {
  if (answers.passesOn) return answers.passesOn.ask(method, params, about);
  const result = await handle(method, params, answers, about);
  checkNestedMeta(`the answer to ${method}`, result);
  return result;
}

async function handle(method: string, params: JsonObject, answers: Answers, about: Asked): Promise<JsonObject> {
  switch (method) {
    case 'sampling/createMessage':
      return (await answers.sample?.(params as never, about)) as unknown as JsonObject;
    case 'roots/list':
      return { roots: checkedRoots(await listRoots(answers), about) };
    default:
      return (await elicited(params, answers, about)) as unknown as JsonObject;
  }
}

/** Reads the roots from the form in which the application gave them. */
async function listRoots({ roots = [] }: Answers): Promise<readonly Root[]> {
  if (typeof roots === 'function') return roots();
  return 'list' in roots ? roots.list() : roots;
}

/** A step upwards, in whatever way its characters are written. */
const CLIMBS = /([/\\]|%2f|%5c)(\.|%2e){2}([/\\?#]|%2f|%5c|$)/i;

/** A root is a place below which a server may look around: nothing in it may lead out again. */
function checkedRoots(roots: readonly Root[], { server }: Asked): readonly Root[] {
  for (const { uri } of roots) {
    if (/^file:\/\//.test(uri) && !CLIMBS.test(uri)) continue;
    throw new TenonError('answer/root', 'a root is not a plain file URI', {
      peer: server,
      expected: 'file:///… without ".."',
    });
  }
  return roots;
}

async function elicited(params: JsonObject, answers: Answers, about: Asked): Promise<ElicitResult> {
  if (params.mode === 'url')
    return (await answers.elicitUrl?.(params as unknown as ElicitUrlParams, about)) ?? { action: 'cancel' };
  const form = params as unknown as ElicitFormParams;
  const result = (await answers.elicit?.(form, about)) ?? { action: 'cancel' };
  if (result.action !== 'accept') return { action: result.action };
  const content = filled(form, result.content ?? {});
  const { compileJson } = await import('../schemas/foreign.js');
  const checked = compileJson(form.requestedSchema as unknown as JsonObject).check(content);
  if (checked.ok !== false) return { ...result, content };
  throw new TenonError('answer/form', `the answer does not fit the form: ${describeIssues(checked.issues)}`, {
    peer: about.server,
  });
}

/** Fields that were left out have their defaults. */
function filled(
  { requestedSchema }: ElicitFormParams,
  content: { [name: string]: FormValue },
): { [name: string]: FormValue } {
  const defaults = Object.entries(requestedSchema?.properties ?? {}).flatMap(([name, field]) =>
    isObject(field) && field.default !== undefined ? [[name, field.default as FormValue]] : [],
  );
  return { ...Object.fromEntries(defaults), ...content };
}

/** The words of the client for a peer that has a different revision. */
export function inWordsOf(dialect: Dialect, method: string, result: JsonObject): JsonObject {
  return dialect.speak.down.result(inOurWords(method))?.(result, {}) ?? result;
}

/** Names the task that asked in the answer to it. */
export function relateToTask(result: JsonObject, { _meta }: JsonObject): JsonObject {
  const task = isObject(_meta) ? _meta[RELATED_TASK] : undefined;
  return task === undefined ? result : { ...result, _meta: { ...(result._meta as JsonObject), [RELATED_TASK]: task } };
}

function unknown(method: string): TenonError {
  return rpcError(METHOD_NOT_FOUND, `Method not found: ${method.slice(0, 128)}`);
}

function undeclaredMode({ mode }: JsonObject): TenonError {
  return rpcError(
    INVALID_PARAMS,
    `Invalid params: elicitation mode ${mode === 'url' ? 'url' : 'form'} is not declared`,
  );
}
