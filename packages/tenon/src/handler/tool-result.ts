import { isObject, requireKnownOptions, TenonError } from '@tenon/base';
import type { ContentBlock, Meta } from '../protocol/content.js';
import type { InputRequests, InputRequiredResult } from '../protocol/input-requests.js';

const TOOL_RESULT = Symbol.for('tenon.reply');

/** A tool result with all its parts, created by `toolResult` or `ctx.fail`. */
export interface ToolResultParts {
  readonly [TOOL_RESULT]: true;
  readonly content: readonly ContentBlock[] | undefined;
  readonly structured: unknown;
  readonly isError: boolean;
  readonly _meta: Meta | undefined;
}

type ContentInput = string | ContentBlock | readonly (string | ContentBlock)[];

/** Creates a tool result with separate content and structured content, or with metadata. */
export function toolResult(parts: {
  content?: ContentInput | undefined;
  structured?: unknown;
  isError?: boolean | undefined;
  _meta?: Meta | undefined;
}): ToolResultParts {
  requireKnownOptions('toolResult', parts, { content: true, structured: true, isError: true, _meta: true });
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

/** Creates an error for the model: the tool result has `isError` and this text. */
export function toolError(message: string, cause?: unknown): TenonError {
  return new TenonError('tool/failed', message, { cause });
}

/**
 * Creates a result with input requests to the client. When all are answered, the handler runs again with the answers
 * and `state` in `ctx.inputs`.
 *
 * The state is sealed for the client, and it is bound to the user and the request. Replicas need the same
 * `inputRequests.keys`.
 * @throws TenonError `handler/empty-input-request` when there are neither requests nor a state.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export function inputRequired(options: {
  requests?: InputRequests | undefined;
  state?: string | undefined;
}): InputRequiredResult {
  requireKnownOptions('inputRequired', options, { requests: true, state: true });
  const { requests, state } = options;
  if (requests === undefined && state === undefined) {
    throw new TenonError('handler/empty-input-request', '`inputRequired` without `requests` and `state`', {
      expected: 'at least one of them',
    });
  }
  return {
    resultType: 'input_required',
    ...(requests === undefined ? {} : { inputRequests: requests }),
    ...(state === undefined ? {} : { requestState: state }),
  };
}

export function toContentBlocks(content: ContentInput): ContentBlock[] {
  const items = Array.isArray(content)
    ? (content as readonly (string | ContentBlock)[])
    : [content as string | ContentBlock];
  return items.map(block => (typeof block === 'string' ? { type: 'text', text: block } : block));
}
