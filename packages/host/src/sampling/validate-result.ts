import { isObject, TenonError } from '@tenon/base';
import type { CreateMessageParams, CreateMessageResult, SamplingContent } from 'tenon';
import { getBlocks, getToolUses } from './content.js';

const MEDIA = ['image', 'audio'];

/**
 * Validates the result of a model, and returns it with the stop reason that fits its content.
 *
 * @throws TenonError `model/answer` for a result that does not fit the request, such as a use of an unknown tool.
 */
export function checkGeneratedResult(
  result: CreateMessageResult,
  request: CreateMessageParams,
  model: string,
): CreateMessageResult {
  const createError = (summary: string) =>
    new TenonError('model/answer', `the answer of the model is invalid: ${summary}`, {
      peer: model,
      method: 'sampling/createMessage',
      hint: 'try again, or choose another model with `choose`',
    });
  if (!isObject(result) || typeof result.model !== 'string') throw createError('the answer does not name its model');
  const blocks = getBlocks(result);
  if (!blocks.every(isContent)) throw createError('the type of a content block is not text, image, audio or tool_use');
  const uses = getToolUses(result);
  const { tools = [], toolChoice: { mode = 'auto' } = {} } = request;
  if (uses.length > 0 && mode === 'none') throw createError('the answer calls a tool although `toolChoice` is none');
  const unknownUse = uses.find(({ name }) => !tools.some(tool => tool.name === name));
  if (unknownUse)
    throw createError(`the answer calls the unknown tool ${JSON.stringify(unknownUse.name.slice(0, 64))}`);
  if (new Set(uses.map(({ id }) => id)).size < uses.length) throw createError('two tool uses have the same id');
  if (mode === 'required' && uses.length === 0 && result.stopReason !== 'maxTokens')
    throw createError('the answer calls no tool although `toolChoice` is required');
  const { stopReason } = result;
  const [only] = blocks;
  return {
    ...result,
    role: 'assistant',
    content: blocks.length === 1 && only ? only : [...blocks],
    ...(uses.length > 0 ? { stopReason: 'toolUse' } : stopReason === 'toolUse' ? { stopReason: 'endTurn' } : {}),
  };
}

function isContent(block: SamplingContent): boolean {
  if (!isObject(block)) return false;
  if (block.type === 'text') return typeof block.text === 'string';
  if (block.type === 'tool_use')
    return typeof block.id === 'string' && typeof block.name === 'string' && isObject(block.input);
  return MEDIA.includes(block.type) && typeof (block as { data?: unknown }).data === 'string';
}
