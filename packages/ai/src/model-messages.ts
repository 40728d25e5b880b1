import type { FilePart, ModelMessage, TextPart, ToolCallPart, ToolResultPart } from 'ai';
import type { SamplingContent, SamplingMessage } from 'tenon';
import { toProviderOptions } from './thought-signature.js';
import type { ToolNames } from './tool-names.js';
import { toToolOutput } from './tool-output.js';

type ToolUse = Extract<SamplingContent, { type: 'tool_use' }>;

/** Returns the tool uses of a message. */
export function getToolUses(message: SamplingMessage): ToolUse[] {
  return getBlocks(message).filter(block => block.type === 'tool_use');
}

/** Converts the messages of a sampling request. Tool results become messages with the role `tool`. */
export function toModelMessages(messages: readonly SamplingMessage[], names: ToolNames): ModelMessage[] {
  const calledTools = new Map(messages.flatMap(getToolUses).map(({ id, name }) => [id, names.toProvider(name)]));
  return messages.flatMap(message =>
    message.role === 'assistant' ? [toAssistantMessage(message, names)] : toUserMessages(message, calledTools),
  );
}

function toAssistantMessage(message: SamplingMessage, names: ToolNames): ModelMessage {
  const content = getBlocks(message).flatMap((block): (TextPart | FilePart | ToolCallPart)[] =>
    block.type === 'tool_use' ? [toToolCall(block, names)] : toMediaPart(block),
  );
  return { role: 'assistant', content };
}

function toUserMessages(message: SamplingMessage, calledTools: ReadonlyMap<string, string>): ModelMessage[] {
  const blocks = getBlocks(message);
  const results = blocks.flatMap(block => toToolResult(block, calledTools));
  const media = blocks.flatMap(toMediaPart);
  return [
    ...(results.length > 0 ? [{ role: 'tool' as const, content: results }] : []),
    ...(media.length > 0 ? [{ role: 'user' as const, content: media }] : []),
  ];
}

function getBlocks({ content }: SamplingMessage): SamplingContent[] {
  return Array.isArray(content) ? content : [content];
}

/**
 * Converts a content block to media parts. The type `data` is explicit, because the AI SDK would download a plain
 * string that is a URL.
 */
function toMediaPart(block: SamplingContent): (TextPart | FilePart)[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: block.text }];
    case 'image':
    case 'audio':
      return [{ type: 'file', mediaType: block.mimeType, data: { type: 'data', data: block.data } }];
    default:
      return [];
  }
}

function toToolCall({ id, name, input, _meta }: ToolUse, names: ToolNames): ToolCallPart {
  const providerOptions = toProviderOptions(_meta);
  return {
    type: 'tool-call',
    toolCallId: id,
    toolName: names.toProvider(name),
    input,
    ...(providerOptions ? { providerOptions } : {}),
  };
}

function toToolResult(block: SamplingContent, calledTools: ReadonlyMap<string, string>): ToolResultPart[] {
  if (block.type !== 'tool_result') return [];
  const toolName = calledTools.get(block.toolUseId) ?? block.toolUseId;
  return [{ type: 'tool-result', toolCallId: block.toolUseId, toolName, output: toToolOutput(block) }];
}
