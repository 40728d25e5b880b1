import { isObject } from '@tenon/base';
import type { CreateMessageParams, SamplingMessage } from 'tenon';
import { getBlocks, getToolUses } from './content.js';
import { createInvalidError } from './refusal.js';

/** Limits on the size of a server's request. */
export interface RequestBounds {
  /**
   * Maximum number of messages.
   * @default 1,000
   */
  readonly messages: number;
  /**
   * Maximum number of tools.
   * @default 128
   */
  readonly tools: number;
  /**
   * Maximum size of the request as JSON, in characters, including images.
   * @default 16 Mi
   */
  readonly characters: number;
}

const REQUEST_BOUNDS: RequestBounds = { messages: 1_000, tools: 128, characters: 2 ** 24 };

const BLOCKS = ['text', 'image', 'audio', 'tool_use', 'tool_result'];

/**
 * Validates blocks, roles and tools, and checks that a result follows each tool use.
 *
 * @throws TenonError `rpc/error` with code -32602 for an invalid request.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#message-content-constraints
 */
export function judgeRequest(request: CreateMessageParams, bounds: RequestBounds = REQUEST_BOUNDS): void {
  const { messages, maxTokens, tools = [] } = request;
  if (!Number.isSafeInteger(maxTokens) || maxTokens < 1)
    throw createInvalidError('maxTokens must be a positive integer');
  if (!Array.isArray(messages) || messages.length === 0) throw createInvalidError('messages must not be empty');
  if (messages.length > bounds.messages) throw createInvalidError(`There must be at most ${bounds.messages} messages`);
  if (!Array.isArray(tools) || tools.length > bounds.tools)
    throw createInvalidError(`There must be at most ${bounds.tools} tools`);
  if (JSON.stringify(request).length > bounds.characters)
    throw createInvalidError(`The request must have at most ${bounds.characters} characters`);
  messages.forEach(judgeMessage);
  judgeBalance(messages);
  judgeTools(request);
}

function judgeMessage(message: SamplingMessage, index: number): void {
  const { role } = message;
  const createError = (issue: string) => createInvalidError(`Message ${index}: ${issue}`);
  if (role !== 'user' && role !== 'assistant') throw createError('the role must be user or assistant');
  for (const block of getBlocks(message)) {
    if (!isObject(block) || !BLOCKS.includes(block.type as string)) throw createError('a block has an unknown type');
    const issue = findIssue(block, role);
    if (issue) throw createError(issue);
  }
}

function findIssue(block: { readonly [name: string]: unknown }, role: string): string | undefined {
  const isText = (...names: string[]) => names.every(name => typeof block[name] === 'string');
  switch (block.type) {
    case 'text':
      return isText('text') ? undefined : 'a text block must have text';
    case 'tool_use':
      if (role !== 'assistant') return 'a tool use must be in a message of the assistant';
      return isText('id', 'name') && isObject(block.input)
        ? undefined
        : 'a tool use must have an id, a name and an input';
    case 'tool_result':
      if (role !== 'user') return 'a tool result must be in a message of the user';
      if (!isText('toolUseId') || !Array.isArray(block.content))
        return 'a tool result must have a toolUseId and content';
      return block.content.every(isObject) ? undefined : 'a tool result has an invalid block';
    default:
      return isText('data', 'mimeType') ? undefined : `an ${String(block.type)} block must have data and a mimeType`;
  }
}

/** Checks that the message after tool uses contains exactly their results, each once. */
function judgeBalance(messages: readonly SamplingMessage[]): void {
  let open: string[] = [];
  for (const message of messages) {
    const blocks = getBlocks(message);
    const results = blocks.flatMap(block => (block.type === 'tool_result' ? [block.toolUseId] : []));
    if (results.length > 0 && results.length < blocks.length)
      throw createInvalidError('Tool results mixed with other content');
    if (open.some(id => !results.includes(id))) throw createInvalidError('Tool result missing in request');
    if (results.some(id => !open.includes(id)) || new Set(results).size < results.length)
      throw createInvalidError('A tool result has no matching tool use in the message before');
    open = getToolUses(message).map(({ id }) => id);
    if (new Set(open).size < open.length) throw createInvalidError('Two tool uses have the same id');
  }
  if (open.length > 0) throw createInvalidError('Tool result missing in request');
}

function judgeTools({ tools = [], toolChoice }: CreateMessageParams): void {
  const fits = (tool: unknown) => isObject(tool) && typeof tool.name === 'string' && isObject(tool.inputSchema);
  if (!tools.every(fits)) throw createInvalidError('Each tool must have a name and an inputSchema');
  if (new Set(tools.map(({ name }) => name)).size < tools.length)
    throw createInvalidError('Two tools have the same name');
  if (toolChoice === undefined) return;
  const { mode = 'auto' } = toolChoice;
  if (!['auto', 'required', 'none'].includes(mode))
    throw createInvalidError('toolChoice.mode must be auto, required or none');
  if (mode === 'required' && tools.length === 0)
    throw createInvalidError('toolChoice requires a tool, but tools is empty');
}
