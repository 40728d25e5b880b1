import {
  type CallToolResult,
  type GetPromptResult,
  type JsonObject,
  type Progress,
  type ReadResourceResult,
  TenonError,
} from 'tenon';
import type { CliContext } from '../cli-context.js';
import { exitCodes } from '../exit-codes.js';
import { describeRequests, formatAnswerCommand, formatRequests } from '../questions/describe-requests.js';
import type { OpenQuestion, Questions } from '../questions/questions.js';
import { computeTargetFingerprint, saveWaitingCall, type WaitingCall } from '../questions/waiting-calls.js';
import { writeErrorReport } from '../report-failure.js';
import type { TargetConnection } from '../target/run-with-client.js';
import type { TargetOptions } from '../target/target-options.js';
import type { TargetReference } from '../target/target-reference.js';
import { formatParameters } from '../tools/type-text.js';
import { formatProgress } from './format-progress.js';

/** Results of the methods that may request input first. */
export interface CallResults {
  'tools/call': CallToolResult;
  'prompts/get': GetPromptResult;
  'resources/read': ReadResourceResult;
}

/** Call of the command, with the data that is needed to continue it later. */
export interface CallRequest<M extends keyof CallResults> {
  readonly method: M;
  readonly params: JsonObject;
  readonly reference: TargetReference;
  readonly options: TargetOptions;
}

/** Maximum number of rounds in which a server requests the same call again without an input request. */
const MAX_ROUNDS = 10;

/**
 * Calls a method, and shows its progress on a terminal. Input requests of the server are shown on a terminal. Without a
 * terminal, the call waits: its ID is printed, and the function resolves with `undefined`.
 */
export async function runCall<M extends keyof CallResults>(
  context: CliContext,
  connection: TargetConnection,
  request: CallRequest<M>,
  questions: Questions,
  resumed?: { readonly taskId: string },
): Promise<CallResults[M] | undefined> {
  const call = new CallRun(context, connection, request, questions);
  const result = await call.run(resumed?.taskId);
  context.screen.showStatus('');
  return result as CallResults[M] | undefined;
}

class CallRun {
  readonly #context: CliContext;
  readonly #connection: TargetConnection;
  readonly #request: CallRequest<keyof CallResults>;
  readonly #questions: Questions;
  readonly #abort = new AbortController();
  #taskId: string | undefined;

  constructor(
    context: CliContext,
    connection: TargetConnection,
    request: CallRequest<keyof CallResults>,
    questions: Questions,
  ) {
    this.#context = context;
    this.#connection = connection;
    this.#request = request;
    this.#questions = questions;
  }

  async run(taskId: string | undefined): Promise<JsonObject | object | undefined> {
    const { signal } = this.#connection;
    const onAbort = () => this.#abort.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    // One connection may have many calls, such as one for each page of a resource.
    return this.#runUntilAborted(taskId).finally(() => signal.removeEventListener('abort', onAbort));
  }

  async #runUntilAborted(taskId: string | undefined): Promise<JsonObject | object | undefined> {
    this.#taskId = taskId;
    const result = taskId === undefined ? this.#call() : this.#waitForTask(taskId);
    const opened = this.#questions.opened.then(question => this.#handleOpen(question));
    // Only the first of both counts. The other one may fail later, when the connection is closed.
    result.catch(() => {});
    opened.catch(() => {});
    return Promise.race([result, opened]);
  }

  async #call(params: JsonObject = this.#request.params, round = 1): Promise<JsonObject | object | undefined> {
    const { client } = this.#connection;
    const method: string = this.#request.method;
    const options = {
      signal: this.#abort.signal,
      onProgress: (progress: Progress) => this.#context.screen.showStatus(formatProgress(progress)),
      onTask: ({ taskId, statusMessage, status }: { taskId: string; statusMessage?: string; status: string }) => {
        this.#taskId = taskId;
        this.#context.screen.showStatus(statusMessage ?? status);
      },
      resolveInputRequests: this.#questions.isInteractive,
    };
    const result = await client.call(method, params, options);
    if (result.resultType === 'input_required') {
      // Without an input request, the server only requests the same call again.
      const { inputRequests, requestState } = result;
      const isEmpty = Object.keys(inputRequests ?? {}).length === 0;
      if (!isEmpty) return this.#saveQuestion(result);
      if (round < MAX_ROUNDS) return this.#call({ ...this.#request.params, requestState }, round + 1);
      throw new TenonError('call/too-many-rounds', `the server requested the call again ${MAX_ROUNDS} times`, {
        method,
      });
    }
    if (result.resultType === 'task' && typeof result.taskId === 'string') return this.#waitForTask(result.taskId);
    return result;
  }

  #waitForTask(taskId: string): Promise<CallToolResult> {
    this.#taskId = taskId;
    const { name } = this.#request.params;
    const task = this.#connection.client.tasks.resume(taskId, typeof name === 'string' ? { tool: name } : {});
    return task.toolResult({
      signal: this.#abort.signal,
      onTask: ({ status, statusMessage }) => this.#context.screen.showStatus(statusMessage ?? status),
    });
  }

  /**
   * Handles an input request that must be answered while the call is open. Only an input request of a task can be
   * left waiting.
   */
  async #handleOpen(question: OpenQuestion): Promise<undefined> {
    const inputRequests = { question: { method: 'elicitation/create', params: question } };
    if (this.#taskId !== undefined) return this.#saveQuestion({ inputRequests, taskId: this.#taskId });
    const { protocolVersion } = this.#connection.client.server;
    const { sanitizeText } = await import('@tenon/host');
    const schema = 'requestedSchema' in question ? question.requestedSchema : undefined;
    const fields = formatParameters(schema);
    const shown = sanitizeText(`“${question.message}”${fields.length > 0 ? ` (${fields.join(', ')})` : ''}`);
    this.#abort.abort();
    throw new TenonError('cli/input-required', `the server asks ${shown}, and the call was cancelled`, {
      received: `protocol version ${protocolVersion}, where the answer must be given while the call is open`,
      hint: this.#request.options.keep
        ? 'run this in a terminal'
        : 'run the same command with --keep, so that `tenon answer` can answer later, or run it in a terminal',
    });
  }

  async #saveQuestion({ inputRequests, requestState, taskId }: JsonObject): Promise<undefined> {
    const context = this.#context;
    const waitingCall = await this.#save(inputRequests, requestState, taskId);
    const requests = describeRequests(waitingCall.inputRequests);
    const { command, text } = formatAnswerCommand(waitingCall.id, requests);
    const expiresAt = new Date(waitingCall.expiresAt).toISOString();
    const { label, target } = this.#connection.target;
    if (this.#request.options.json) {
      context.screen.printJson({ inputRequired: { id: waitingCall.id, expiresAt, server: label, requests, command } });
      writeErrorReport(context.screen, {
        code: 'cli/input-required',
        cause: `${label} asks a question before it goes on`,
        fix: command,
        exit: exitCodes.inputRequired,
      });
    } else {
      const { sanitizeText } = await import('@tenon/host');
      context.screen.note(`${label} asks:\n${sanitizeText(formatRequests(requests), { lines: true })}`);
      context.screen.note(`The call waits until ${expiresAt}. Answer it with:\n  ${text}`);
      if ('command' in target && !this.#request.options.keep)
        context.screen.note(
          'The process of the server ends now. The answer arrives only if the server keeps its state.',
        );
    }
    context.code = exitCodes.inputRequired;
    return undefined;
  }

  #save(inputRequests: unknown, requestState: unknown, taskId: unknown): Promise<WaitingCall> {
    const { reference, options, method, params } = this.#request;
    // Headers and environment variables may contain secrets.
    const { header: _, env: __, json: ___, input: ____, wire: _____, verbose: ______, ...storedOptions } = options;
    return saveWaitingCall(this.#context, {
      reference,
      options: storedOptions,
      fingerprint: computeTargetFingerprint(this.#connection.target),
      method,
      params,
      inputRequests: typeof inputRequests === 'object' && inputRequests !== null ? (inputRequests as JsonObject) : {},
      ...(typeof requestState === 'string' ? { requestState } : {}),
      ...(typeof taskId === 'string' ? { taskId } : {}),
    });
  }
}
