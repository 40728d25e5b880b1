import {
  describeIssues,
  describeUnknownName,
  INVALID_PARAMS,
  isObject,
  type JsonObject,
  rpcError,
  TenonError,
} from '@tenon/base';
import { checkInputRequestMethods } from '../../execution/check-input-requests.js';
import { toContentBlocks } from '../../handler/tool-result.js';
import { checkNestedMeta } from '../../protocol/check-meta.js';
import type { PromptMessage } from '../../protocol/content.js';
import { isInputRequired, methods } from '../../protocol/methods.js';
import { coerceTexts } from '../../schemas/text-arguments.js';
import { HandlerContext } from '../context/handler-context.js';
import { finalizeResult } from '../decode-encode.js';
import { type CompiledPrompt, compilePrompt } from '../definitions/compiled-prompt.js';
import type { RequestContext } from '../request-context.js';
import type { MethodCall, ServerRuntime } from '../server-runtime.js';
import { requireContentBlocks } from './content-blocks.js';
import { requireCapabilities } from './tools/call-tool.js';

/** Creates the protocol's error for a prompt that does not exist, or that the caller does not see. */
export function createUnknownPromptError(
  { prompts }: ServerRuntime,
  name: string,
  { caller }: RequestContext,
): TenonError {
  const names = prompts.listFor(caller).map(([each]) => each);
  return rpcError(INVALID_PARAMS, describeUnknownName('prompt', name, names));
}

/**
 * Handles `prompts/get`.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/prompts
 */
export async function getPrompt({
  params,
  found,
  context,
  run,
  requestContext,
  server,
}: MethodCall<'prompts/get'>): Promise<JsonObject> {
  const { name } = params;
  if (found === undefined) throw createUnknownPromptError(server, name, requestContext);
  const prompt = compilePrompt(name, found.definition);
  const checked = prompt.input
    ? await prompt.input.check(coerceTexts(params.arguments ?? {}, prompt.arguments))
    : { ok: true as const, value: params.arguments ?? {} };
  if (!checked.ok)
    throw rpcError(INVALID_PARAMS, `Invalid arguments for prompt ${name}: ${describeIssues(checked.issues)}`);
  requireCapabilities(prompt.definition.requiredCapabilities, requestContext);
  return run.invokeHandler(context, async () => {
    const returned = await HandlerContext.runDefinition(
      context,
      () => prompt.definition.run(checked.value as never, context),
      value => value,
    );
    checkNestedMeta(`prompt "${name}"`, returned);
    checkInputRequestMethods(`prompt "${name}"`, returned);
    if (isInputRequired(returned)) return { ...returned };
    const result = toPromptResult(prompt, returned);
    const issue = methods['prompts/get'].result(result);
    if (issue)
      throw new TenonError('handler/output', `prompt "${name}" returned an invalid result: ${issue}`, {
        expected: 'text, content blocks or messages',
      });
    const contents = (result.messages as PromptMessage[]).map(({ content }) => content);
    requireContentBlocks(`prompt "${name}"`, contents, '/messages');
    return finalizeResult(server, result);
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
