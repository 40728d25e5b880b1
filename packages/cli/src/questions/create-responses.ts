import { createFormResult } from '@tenon/host';
import type { ElicitFormParams, ElicitResult, ElicitUrlParams, JsonObject } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { parseArguments } from '../tools/parse-arguments.js';
import { createUsageError } from '../usage-error.js';
import { describeRequests, formatRequests } from './describe-requests.js';
import { formatIssue } from './format-issue.js';
import type { Questions } from './questions.js';

export interface ResponseOptions {
  /**
   * True if the user has opened the page of the server.
   * @default `false`
   */
  readonly accept?: boolean;
  /**
   * True if the user declines the request.
   * @default `false`
   */
  readonly decline?: boolean;
}

/**
 * Creates the responses to the input requests of a server, from the command line, or by asking the user on a terminal.
 */
export async function createResponses(
  context: CliContext,
  inputRequests: JsonObject,
  words: readonly string[],
  options: ResponseOptions,
  questions: Questions,
): Promise<JsonObject> {
  const requests = Object.entries(inputRequests).map(([key, request]) => ({ key, params: getElicitation(request) }));
  const forms = requests.filter(({ params }) => isForm(params));
  const responses: [string, ElicitResult][] = [];
  for (const { key, params } of requests) {
    const formWords = forms.length > 1 ? takePrefixed(words, `${key}.`) : words;
    responses.push([key, await createResponse(context, params, formWords, options, questions)]);
  }
  return Object.fromEntries(responses);
}

async function createResponse(
  context: CliContext,
  params: ElicitFormParams | ElicitUrlParams,
  words: readonly string[],
  { accept = false, decline = false }: ResponseOptions,
  questions: Questions,
): Promise<ElicitResult> {
  if (decline) return { action: 'decline' };
  if (questions.isInteractive && words.length === 0 && !accept) return askUser(context, params);
  if (!isForm(params)) {
    if (accept) return { action: 'accept' };
    throw createUsageError(`the server asks to open ${params.url}`, 'open it, then pass --accept, or pass --decline');
  }
  const fields = Object.keys(params.requestedSchema.properties);
  if (words.length === 0 && fields.length > 0) {
    const requests = describeRequests({ form: { method: 'elicitation/create', params } });
    throw createUsageError(
      `no fields. The server asks:\n${formatRequests(requests)}\n`,
      'pass NAME=VALUE, or --decline',
    );
  }
  const values = await parseArguments(params.requestedSchema, { words, cwd: context.cwd, hasArgsOption: false });
  const result = await createFormResult(params, { choice: 'submit', values: values as Record<string, string> });
  if ('issue' in result)
    throw createUsageError(`the form is not valid: ${formatIssue(result.issue)}`, 'correct the fields');
  return result;
}

async function askUser(context: CliContext, params: ElicitFormParams | ElicitUrlParams): Promise<ElicitResult> {
  const { askForm, askUrl } = await import('./ask-user.js');
  const info = { server: 'the server' };
  return isForm(params) ? askForm(context, params, info) : askUrl(context, params, info);
}

function isForm(params: ElicitFormParams | ElicitUrlParams): params is ElicitFormParams {
  return params.mode !== 'url';
}

function getElicitation(request: unknown): ElicitFormParams | ElicitUrlParams {
  const { method, params } = request as { method: string; params: ElicitFormParams | ElicitUrlParams };
  if (method === 'elicitation/create') return params;
  throw createUsageError(`the server requests ${method}, which this command cannot answer`, 'use a host with a model');
}

function takePrefixed(words: readonly string[], prefix: string): string[] {
  return words.filter(word => word.startsWith(prefix)).map(word => word.slice(prefix.length));
}
