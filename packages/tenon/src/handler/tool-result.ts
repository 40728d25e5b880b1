import { isObject, requireKnownOptions, TenonError } from '@tenon/base';
import type { ContentBlock, Meta } from '../protocol/content.js';
import type { InputRequests, InputRequiredResult } from '../protocol/input-requests.js';

const TOOL_RESULT = Symbol.for('tenon.tool-result');

/** A tool result with all its parts, created by `toolResult` or `ctx.fail`. */
export interface ToolResultParts {
  readonly [TOOL_RESULT]: true;
  readonly content: readonly ContentBlock[] | undefined;
  readonly structuredContent: unknown;
  readonly isError: boolean;
  readonly _meta: Meta | undefined;
}

/** Members of a tool result. */
export const RESULT_KEYS = { content: true, structuredContent: true, isError: true, _meta: true } as const;

type ContentInput = string | ContentBlock | readonly (string | ContentBlock)[];

/** Creates a tool result with separate content and structured content, or with metadata. */
export function toolResult(parts: {
  content?: ContentInput | undefined;
  structuredContent?: unknown;
  isError?: boolean | undefined;
  _meta?: Meta | undefined;
}): ToolResultParts {
  requireKnownOptions('toolResult', parts, RESULT_KEYS);
  const { content, structuredContent, isError = false, _meta } = parts;
  return {
    [TOOL_RESULT]: true,
    content: content === undefined ? undefined : toContentBlocks(content),
    structuredContent,
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
 * and `requestState` in `ctx.inputs`.
 *
 * The state is sealed for the client, and it is bound to the user and the request. Replicas need the same
 * `inputRequests.keys`.
 * @throws TenonError `handler/empty-input-request` without `inputRequests` and `requestState`.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export function inputRequired(options: {
  inputRequests?: InputRequests | undefined;
  requestState?: string | undefined;
}): InputRequiredResult {
  requireKnownOptions('inputRequired', options, { inputRequests: true, requestState: true });
  const { inputRequests, requestState } = options;
  if (inputRequests === undefined && requestState === undefined) {
    throw new TenonError('handler/empty-input-request', '`inputRequired` without `inputRequests` and `requestState`', {
      expected: 'at least one of them',
    });
  }
  return {
    resultType: 'input_required',
    ...(inputRequests === undefined ? {} : { inputRequests }),
    ...(requestState === undefined ? {} : { requestState }),
  };
}

export function toContentBlocks(content: ContentInput): ContentBlock[] {
  const items = Array.isArray(content)
    ? (content as readonly (string | ContentBlock)[])
    : [content as string | ContentBlock];
  return items.map(block => (typeof block === 'string' ? { type: 'text', text: block } : block));
}
