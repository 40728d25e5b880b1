import type { Command } from 'commander';
import { type ElicitFormParams, type ElicitResult, type JsonObject, TenonError } from 'tenon';
import { reportReadResult } from '../calls/report-contents.js';
import { reportPromptResult } from '../calls/report-prompt.js';
import { reportToolResult } from '../calls/report-result.js';
import { type CallRequest, type CallResults, runCall } from '../calls/run-call.js';
import type { CliContext } from '../cli-context.js';
import { CHECK_EFFECT } from '../error-hints.js';
import { exitCodes, getExitCode } from '../exit-codes.js';
import { createCommand, formatExamples } from '../options/create-command.js';
import { createResponses } from '../questions/create-responses.js';
import { describeRequests, formatAnswerCommand, formatRequests } from '../questions/describe-requests.js';
import { createQuestions, type QuestionHandlers, type Questions } from '../questions/questions.js';
import {
  computeTargetFingerprint,
  findWaitingCall,
  listWaitingCalls,
  removeWaitingCall,
  type WaitingCall,
} from '../questions/waiting-calls.js';
import { summaries } from '../summaries.js';
import { runWithClient, type TargetConnection } from '../target/run-with-client.js';
import {
  refuseUnknownOptions,
  type TargetOptions,
  withArgumentOptions,
  withTargetOptions,
} from '../target/target-options.js';
import { createUsageError } from '../usage-error.js';

/** JSON-RPC error code of invalid params, such as a state that has expired. */
const INVALID_PARAMS = -32602;

interface AnswerCommandOptions extends TargetOptions {
  readonly decline?: boolean;
  readonly accept?: boolean;
  readonly forget?: boolean;
  readonly save?: string;
}

export function createAnswerCommand(context: CliContext): Command {
  const command = createCommand('answer', summaries.answer)
    .argument('[id]', 'ID of the call, or its first characters; without it, list the calls that wait')
    .argument('[fields...]', 'fields of the form: NAME=VALUE, NAME:=JSON, NAME=@FILE')
    .option('--accept', 'for a page to visit: it was opened')
    .option('--decline', 'decline the request of the server')
    .option('--forget', 'delete the call here, without a connection to the server')
    .option('--save <folder>', 'save images, audio and resources of the result into this folder');
  return withTargetOptions(withArgumentOptions(command))
    .addHelpText(
      'after',
      formatExamples([
        ['tenon answer', 'list the calls that wait'],
        ['tenon answer 7f3a1b2c count=3', 'answer a form'],
        ['tenon answer 7f3a --decline', 'say no'],
        ['tenon answer 7f3a --forget', 'delete a call that cannot be answered'],
      ]),
    )
    .action(async (id: string | undefined, words: string[], options: AnswerCommandOptions) => {
      refuseUnknownOptions('answer', id === undefined ? [] : [id], 1);
      if (id === undefined) {
        if (options.accept || options.decline || options.forget)
          throw createUsageError(
            'no id of a call',
            'see the calls that wait with `tenon answer`, and pass the id of one',
          );
        return printWaitingCalls(context, options);
      }
      const waitingCall = await findWaitingCall(context, id);
      if (options.forget) await forgetCall(context, waitingCall, options);
      else await answerWaitingCall(context, waitingCall, words, options);
    });
}

async function printWaitingCalls(context: CliContext, { json = false }: AnswerCommandOptions): Promise<void> {
  const calls = (await listWaitingCalls(context)).map(({ id, expiresAt, method, params, inputRequests }) => {
    const requests = describeRequests(inputRequests);
    const name = String(params.name ?? params.uri ?? method);
    return {
      id,
      name,
      expiresAt: new Date(expiresAt).toISOString(),
      requests,
      ...formatAnswerCommand(id, requests),
    };
  });
  context.code = exitCodes.success;
  if (json) return context.screen.printJson({ calls: calls.map(({ text: _, ...call }) => call) });
  if (calls.length === 0) return context.screen.note('no call waits for an answer');
  const { sanitizeText } = await import('@tenon/host');
  for (const { id, name, expiresAt, requests, text } of calls) {
    const head = sanitizeText(`${id}  ${name}  until ${expiresAt}\n${formatRequests(requests)}`, { lines: true });
    context.screen.print(`${head}\n  ${text}`);
  }
}

/** Deletes a call without telling the server, which lets it expire. */
async function forgetCall(context: CliContext, { id }: WaitingCall, { json }: AnswerCommandOptions): Promise<void> {
  await removeWaitingCall(context, id);
  context.code = exitCodes.success;
  if (json) context.screen.printJson({ forgotten: id });
  else context.screen.note(`the call ${id} was deleted; the server got no answer`);
}

async function answerWaitingCall(
  context: CliContext,
  waitingCall: WaitingCall,
  words: readonly string[],
  given: AnswerCommandOptions,
): Promise<void> {
  const options = { ...waitingCall.options, ...given };
  const questions = createQuestions(context, options);
  const responses = await createResponses(context, waitingCall.inputRequests, words, options, questions);
  const { reference } = waitingCall;
  const origin = withFolder(context, waitingCall.cwd);
  await runWithClient(
    origin,
    reference,
    options,
    async connection => {
      checkTarget(waitingCall, connection);
      const result = await continueCall(origin, connection, waitingCall, responses, options, questions).catch(error =>
        handleFailure(context, waitingCall, error),
      );
      await removeWaitingCall(context, waitingCall.id);
      if (result) await reportResult(context, waitingCall, result, options);
    },
    // The task repeats its input request, which gets the stored answer. Only later ones are new.
    waitingCall.taskId === undefined ? questions.handlers : withAnswers(questions, waitingCall, responses),
  ).catch(error => {
    if (getExitCode(TenonError.from(error)) === exitCodes.unreachable)
      context.screen.note(`the call still waits. If the server is gone, run: tenon answer ${waitingCall.id} --forget`);
    throw error;
  });
}

/** Returns the context with another folder. The exit code is still that of the context. */
const withFolder = (context: CliContext, cwd = context.cwd): CliContext => ({
  ...context,
  cwd,
  get code() {
    return context.code;
  },
  set code(code) {
    context.code = code;
  },
});

/** Removes a call that its server no longer has, because no answer can succeed. */
async function handleFailure(context: CliContext, { id }: WaitingCall, thrown: unknown): Promise<never> {
  const error = TenonError.from(thrown);
  const isUnknown = error.code === 'task/unknown' || error.code === 'task/expired';
  if (!isUnknown && !(error.rpcCode === INVALID_PARAMS && /request_?state/i.test(error.message))) throw error;
  await removeWaitingCall(context, id);
  throw new TenonError('cli/call-expired', `the server no longer has the call ${id}, and it was deleted here`, {
    // Servers give the same advice, in a second sentence.
    received: error.summary.replace(/\. Check the effect.*$/s, ''),
    hint: CHECK_EFFECT,
    cause: error,
  });
}

/** Checks that the configuration of the server is unchanged, so that the answer is not sent to another server. */
function checkTarget({ fingerprint, cwd }: WaitingCall, { target }: TargetConnection): void {
  if (computeTargetFingerprint(target) === fingerprint) return;
  throw createUsageError(
    'the configuration now leads to another server than the one that asked',
    cwd === undefined
      ? 'restore the configuration, or delete the call with --forget'
      : `restore the configuration in ${cwd}, or delete the call with --forget`,
  );
}

function continueCall(
  context: CliContext,
  connection: TargetConnection,
  { method, params, reference, requestState, taskId }: WaitingCall,
  inputResponses: JsonObject,
  options: AnswerCommandOptions,
  questions: Questions,
) {
  const state = requestState === undefined ? {} : { requestState };
  const request: CallRequest<keyof CallResults> = {
    method: method as keyof CallResults,
    params: taskId === undefined ? { ...params, inputResponses, ...state } : params,
    reference,
    options,
  };
  return runCall(context, connection, request, questions, taskId === undefined ? undefined : { taskId });
}

function withAnswers(questions: Questions, waitingCall: WaitingCall, responses: JsonObject): QuestionHandlers {
  const open = new Map(
    Object.entries(waitingCall.inputRequests).map(([key, request]) => [JSON.stringify(getParams(request)), key]),
  );
  const take = (params: object) => {
    const key = open.get(JSON.stringify(params));
    open.delete(JSON.stringify(params));
    return key === undefined ? undefined : (responses[key] as ElicitResult);
  };
  const { elicit, elicitUrl } = questions.handlers;
  return {
    elicit: (form: ElicitFormParams, info) => take(form) ?? elicit(form, info),
    elicitUrl: (question, info) => take(question) ?? elicitUrl(question, info),
  };
}

const getParams = (request: unknown): unknown => (request as JsonObject).params;

async function reportResult(
  context: CliContext,
  { method, params }: WaitingCall,
  result: CallResults[keyof CallResults],
  options: AnswerCommandOptions,
): Promise<void> {
  if ('content' in result) await reportToolResult(context, String(params.name), result, options);
  else if ('messages' in result) await reportPromptResult(context, result, options);
  else if ('contents' in result) await reportReadResult(context, result.contents[0]?.uri ?? '', [result], options);
  else throw createUsageError(`unknown method ${method} in the state of the call`, CHECK_EFFECT);
}
