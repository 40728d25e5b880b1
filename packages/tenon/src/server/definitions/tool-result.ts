import { checkInputRequestMethods } from '../../execution/check-input-requests.js';
import { TenonError } from '../../jsonrpc/error.js';
import { thenMaybe } from '../../jsonrpc/maybe-promise.js';
import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import { checkNestedMeta } from '../../protocol/check-meta.js';
import { requireKnownOptions } from '../../protocol/check-options.js';
import type { ContentBlock, Meta } from '../../protocol/content.js';
import type { InputRequests, InputRequiredResult } from '../../protocol/input-requests.js';
import { isInputRequired } from '../../protocol/methods.js';
import type { CheckResult } from '../../schemas/compile-schema.js';
import { describeIssues } from '../../schemas/issues.js';
import { findMalformedBlock, isContentBlock, requireContentBlocks } from '../methods/content-blocks.js';
import { requireJson, toJsonText } from '../methods/json-text.js';
import type { CompiledTool } from './compiled-tool.js';

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

type ReportContentError = (error: TenonError) => void;

/**
 * Converts the return value of a tool's handler to a result of `tools/call`. Throws `handler/output` if that is
 * impossible.
 */
export function encodeReturnValue(
  tool: CompiledTool,
  returned: unknown,
  report: ReportContentError,
): JsonObject | Promise<JsonObject> {
  if (isInputRequired(returned)) {
    checkNestedMeta(describeTool(tool), returned);
    checkInputRequestMethods(describeTool(tool), returned);
    return { ...returned };
  }
  const result = isToolResultParts(returned) ? returned : readProtocolResult(tool, returned);
  if (result) return encodeToolResult(tool, result);
  return tool.output ? encodeStructured(tool, returned) : { content: encodeData(tool, returned, report) };
}

/**
 * Encodes the parts of a tool result. The result always has content, because strict clients reject a result without it.
 */
function encodeToolResult(
  tool: CompiledTool,
  { content, structured, isError, _meta }: ToolResultParts,
): JsonObject | Promise<JsonObject> {
  requireContent(describeTool(tool), content, _meta);
  const extra = { ...(isError ? { isError } : {}), ...(_meta ? { _meta } : {}) };
  if (structured === undefined) return { content: content?.length ? content : toContentBlocks(''), ...extra };
  if (content?.length) requireJson(describeTool(tool), structured);
  if (isError) {
    const shownContent = content?.length ? content : toContentBlocks(toJsonText(describeTool(tool), structured));
    return { content: shownContent, structuredContent: structured, ...extra };
  }
  return thenMaybe(encodeStructured(tool, structured, content), result => ({ ...result, ...extra }));
}

function encodeStructured(
  tool: CompiledTool,
  value: unknown,
  content?: readonly ContentBlock[],
): JsonObject | Promise<JsonObject> {
  return thenMaybe<CheckResult, JsonObject>(tool.output?.check(value) ?? { ok: true, value }, checked => {
    if (!checked.ok) {
      throw new TenonError(
        'handler/output',
        `the result of tool "${tool.wire.name}" does not match its output schema: ${describeIssues(checked.issues)}`,
        { hint: 'return a value that matches `output`, or change the schema' },
      );
    }
    const structuredContent = checked.value === undefined ? null : checked.value;
    return {
      content: content?.length ? content : toContentBlocks(toJsonText(describeTool(tool), structuredContent)),
      structuredContent,
    };
  });
}

function requireContent(subject: string, content: ToolResultParts['content'], _meta: ToolResultParts['_meta']): void {
  if (content?.length) requireContentBlocks(subject, content);
  if (content?.length || _meta) checkNestedMeta(subject, { content, _meta });
}

/** Encodes the failure of a tool that threw a result, for example `throw ctx.fail('…')`. */
export function encodeFailure(name: string, { content, _meta }: ToolResultParts): JsonObject {
  requireContent(`tool "${name}"`, content, _meta);
  return { content: content?.length ? content : toContentBlocks(''), isError: true, ...(_meta ? { _meta } : {}) };
}

const RESULT_KEYS = new Set(['content', 'structuredContent', 'isError', '_meta', 'resultType']);

/**
 * Reads a result in the form of the specification, which handlers for other libraries return. Data of a tool with
 * `output` may look the same. For such a tool, only `structuredContent` or `isError` identifies a result.
 */
function readProtocolResult(tool: CompiledTool, value: unknown): ToolResultParts | undefined {
  if (!isObject(value) || !Array.isArray(value.content)) return undefined;
  const { content, structuredContent, isError, _meta } = value;
  if (tool.output && structuredContent === undefined && isError !== true) return undefined;
  if (!Object.keys(value).every(key => RESULT_KEYS.has(key))) return undefined;
  if (!content.every(block => isObject(block) && typeof block.type === 'string')) return undefined;
  return toolResult({
    content: content as ContentBlock[],
    structured: structuredContent,
    isError: isError === true,
    ...(isObject(_meta) ? { _meta } : {}),
  });
}

/** Tools whose malformed content was already reported. */
const reportedTools = new WeakSet<CompiledTool>();

function encodeData(tool: CompiledTool, value: unknown, report: ReportContentError): ContentBlock[] {
  if (value === undefined) return toContentBlocks('');
  if (typeof value === 'string') return toContentBlocks(value);
  const list = isContentBlock(value) ? [value] : value;
  if (Array.isArray(list) && list.length > 0 && list.every(item => typeof item === 'string' || isContentBlock(item))) {
    checkNestedMeta(describeTool(tool), list);
    return toContentBlocks(list);
  }
  const malformed = reportedTools.has(tool) ? undefined : findMalformedBlock(describeTool(tool), value);
  if (malformed) {
    reportedTools.add(tool);
    report(malformed);
  }
  return toContentBlocks(toJsonText(describeTool(tool), value));
}

function describeTool({ wire }: CompiledTool): string {
  return `tool "${wire.name}"`;
}
