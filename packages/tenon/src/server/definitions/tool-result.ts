import { TenonError } from '../../jsonrpc/error.js';
import { isObject } from '../../jsonrpc/message.js';
import type { ContentBlock, Meta } from '../../protocol/content.js';
import type { InputRequests, InputRequiredResult } from '../../protocol/input-requests.js';

const TOOL_RESULT = Symbol.for('tenon.reply');

/** A tool's answer with all its parts, made by `reply` or `ctx.fail`. */
export interface ToolResultParts {
  readonly [TOOL_RESULT]: true;
  readonly content: readonly ContentBlock[] | undefined;
  readonly structured: unknown;
  readonly isError: boolean;
  readonly _meta: Meta | undefined;
}

type ContentInput = string | ContentBlock | readonly (string | ContentBlock)[];

/** A tool's answer where content and structured content differ, or where there is metadata. */
export function toolResult(parts: {
  content?: ContentInput | undefined;
  structured?: unknown;
  isError?: boolean | undefined;
  _meta?: Meta | undefined;
}): ToolResultParts {
  const { content, structured, isError = false, _meta } = parts;
  return {
    [TOOL_RESULT]: true,
    content: content === undefined ? undefined : toContentBlocks(content),
    structured,
    isError,
    _meta,
  };
}

export function isToolResultParts(value: unknown): value is ToolResultParts {
  return isObject(value) && (value as { [TOOL_RESULT]?: unknown })[TOOL_RESULT] === true;
}

/** An error whose words are meant for the model: a tool that throws it answers with `isError` and this text. */
export function toolError(message: string, cause?: unknown): TenonError {
  return new TenonError('tool/failed', message, { cause });
}

/**
 * Returns questions to the client. The handler runs again when all are answered, with the answers and `state` in
 * `ctx.inputs`. The client gets `state` sealed and bound to the user and the request. Replicas share `inputRequests.keys`.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 *
 * @throws `handler/empty-question` when there are neither requests nor a state.
 */
export function inputRequired(options: {
  requests?: InputRequests | undefined;
  state?: string | undefined;
}): InputRequiredResult {
  const { requests, state } = options;
  if (requests === undefined && state === undefined) {
    throw new TenonError('handler/empty-question', 'a question has requests, a state, or both');
  }
  return {
    resultType: 'input_required',
    ...(requests === undefined ? {} : { inputRequests: requests }),
    ...(state === undefined ? {} : { requestState: state }),
  };
}

export function isInputRequired(value: unknown): value is InputRequiredResult {
  return isObject(value) && value.resultType === 'input_required';
}

export function toContentBlocks(content: ContentInput): ContentBlock[] {
  const items = Array.isArray(content)
    ? (content as readonly (string | ContentBlock)[])
    : [content as string | ContentBlock];
  return items.map(block => (typeof block === 'string' ? { type: 'text', text: block } : block));
}
