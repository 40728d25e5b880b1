import { checkQuestionMethods } from '../conversation/asking/check-questions.js';
import { INVALID_PARAMS } from '../jsonrpc/codes.js';
import { rpcError, TenonError } from '../jsonrpc/error.js';
import { isObject, type JsonObject } from '../jsonrpc/message.js';
import type { PromptMessage } from '../model/content.js';
import { checkNestedMeta } from '../model/meta-keys.js';
import { methods } from '../model/methods.js';
import { describeIssues } from '../schemas/issues.js';
import { coerceTexts } from '../schemas/text-arguments.js';
import type { Blueprint } from './blueprint.js';
import { checkNeeds } from './calling.js';
import { type CompiledPrompt, compilePrompt } from './compiled-prompt.js';
import { requireContentBlocks } from './content-blocks.js';
import { Context } from './context.js';
import type { Operation } from './middleware.js';
import { blocks, isInputRequired } from './reply.js';
import { complete } from './results.js';
import type { Turn } from './turn.js';

export function findPrompt({ prompts }: Blueprint, name: string, { caller }: Turn): CompiledPrompt | undefined {
  const definition = prompts.find(name, caller);
  return definition && compilePrompt(name, definition);
}

/** `prompts/get`. https://modelcontextprotocol.io/specification/2026-07-28/server/prompts */
export async function getPrompt(blueprint: Blueprint, { params, context }: Operation, turn: Turn): Promise<JsonObject> {
  const name = params.name as string;
  const prompt = findPrompt(blueprint, name, turn);
  if (prompt === undefined) throw rpcError(INVALID_PARAMS, `Unknown prompt: ${name.slice(0, 128)}`);
  const checked = prompt.input
    ? await prompt.input.check(coerceTexts((params.arguments ?? {}) as JsonObject, prompt.arguments))
    : { ok: true as const, value: params.arguments ?? {} };
  if (!checked.ok)
    throw rpcError(INVALID_PARAMS, `Invalid arguments for prompt ${name}: ${describeIssues(checked.issues)}`);
  checkNeeds(prompt.definition.needs, turn);
  return Context.perform(context, async () => {
    const returned = await prompt.definition.run(checked.value as never, context);
    checkNestedMeta(`prompt "${name}"`, returned);
    checkQuestionMethods(`prompt "${name}"`, returned);
    if (isInputRequired(returned)) return returned as unknown as JsonObject;
    const result = shaped(prompt, returned);
    const problem = methods['prompts/get'].result(result);
    if (problem) throw new TenonError('handler/output', `prompt "${name}" returned what is no prompt: ${problem}`);
    const contents = (result.messages as PromptMessage[]).map(({ content }) => content);
    requireContentBlocks(`prompt "${name}"`, contents, '/messages');
    return complete(blueprint, result);
  });
}

function shaped({ definition: { description } }: CompiledPrompt, returned: unknown): JsonObject {
  if (isObject(returned) && Array.isArray(returned.messages)) return returned;
  const all = Array.isArray(returned) ? returned : [returned];
  const messages = all.map((each): PromptMessage => {
    if (isObject(each) && 'role' in each) return each as unknown as PromptMessage;
    return { role: 'user', content: blocks(each)[0] as PromptMessage['content'] };
  });
  return { ...(description === undefined ? {} : { description }), messages };
}
