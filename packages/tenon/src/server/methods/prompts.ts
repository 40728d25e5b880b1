import { checkInputRequestMethods } from '../../execution/check-input-requests.js';
import type { MethodOperation } from '../../handler/operation.js';
import { toContentBlocks } from '../../handler/tool-result.js';
import { rpcError, TenonError } from '../../jsonrpc/error.js';
import { INVALID_PARAMS } from '../../jsonrpc/error-codes.js';
import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import { checkNestedMeta } from '../../protocol/check-meta.js';
import type { PromptMessage } from '../../protocol/content.js';
import { isInputRequired, methods } from '../../protocol/methods.js';
import { describeUnknownName } from '../../protocol/unknown-name.js';
import { describeIssues } from '../../schemas/issues.js';
import { coerceTexts } from '../../schemas/text-arguments.js';
import { HandlerContext } from '../context/handler-context.js';
import { finalizeResult } from '../decode-encode.js';
import { type CompiledPrompt, compilePrompt } from '../definitions/compiled-prompt.js';
import type { RequestContext } from '../request-context.js';
import type { ServerRuntime } from '../server-runtime.js';
import { requireContentBlocks } from './content-blocks.js';
import { requireCapabilities } from './tools/call-tool.js';

/** Finds a prompt that the caller sees. Throws the protocol's error for another name. */
export function findPrompt({ prompts }: ServerRuntime, name: string, { caller }: RequestContext): CompiledPrompt {
  const definition = prompts.find(name, caller);
  if (definition !== undefined) return compilePrompt(name, definition);
  const names = prompts.listFor(caller).map(([each]) => each);
  throw rpcError(INVALID_PARAMS, describeUnknownName('prompt', name, names));
}

/**
 * Handles `prompts/get`.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/prompts
 */
export async function getPrompt(
  { params, context }: MethodOperation<'prompts/get'>,
  requestContext: RequestContext,
  runtime: ServerRuntime,
): Promise<JsonObject> {
  const { name } = params;
  const prompt = findPrompt(runtime, name, requestContext);
  const checked = prompt.input
    ? await prompt.input.check(coerceTexts(params.arguments ?? {}, prompt.arguments))
    : { ok: true as const, value: params.arguments ?? {} };
  if (!checked.ok)
    throw rpcError(INVALID_PARAMS, `Invalid arguments for prompt ${name}: ${describeIssues(checked.issues)}`);
  requireCapabilities(prompt.definition.requiredCapabilities, requestContext);
  return HandlerContext.invokeHandler(context, async () => {
    const returned = await HandlerContext.runDefinition(
      context,
      () => prompt.definition.run(checked.value as never, context),
      value => value,
    );
    checkNestedMeta(`prompt "${name}"`, returned);
    checkInputRequestMethods(`prompt "${name}"`, returned);
    if (isInputRequired(returned)) return { ...returned };
    const result = toPromptResult(prompt, returned);
    const problem = methods['prompts/get'].result(result);
    if (problem)
      throw new TenonError('handler/output', `prompt "${name}" returned an invalid result: ${problem}`, {
        expected: 'text, content blocks or messages',
      });
    const contents = (result.messages as PromptMessage[]).map(({ content }) => content);
    requireContentBlocks(`prompt "${name}"`, contents, '/messages');
    return finalizeResult(runtime, result);
  });
}

function toPromptResult({ definition: { description } }: CompiledPrompt, returned: unknown): JsonObject {
  if (isObject(returned) && Array.isArray(returned.messages)) return returned;
  const items = Array.isArray(returned) ? returned : [returned];
  const messages = items.map(each =>
    isObject(each) && 'role' in each ? each : { role: 'user', content: toContentBlocks(each)[0] },
  );
  return { ...(description === undefined ? {} : { description }), messages };
}
