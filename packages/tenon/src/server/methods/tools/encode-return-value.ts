import {
  checkBoolean,
  checkObject,
  describeIssues,
  isObject,
  type JsonObject,
  requireResult,
  TenonError,
  thenMaybe,
} from '@tenon/base';
import { checkInputRequestMethods } from '../../../execution/check-input-requests.js';
import {
  isToolResultParts,
  RESULT_KEYS,
  type ToolResultParts,
  toContentBlocks,
  toolResult,
} from '../../../handler/tool-result.js';
import { checkNestedMeta } from '../../../protocol/check-meta.js';
import type { ContentBlock } from '../../../protocol/content.js';
import { isInputRequired } from '../../../protocol/methods.js';
import { type CheckResult, createJsonCheck } from '../../../schemas/compile-schema.js';
import { isStandardSchema } from '../../../schemas/standard.js';
import type { CompiledTool } from '../../definitions/compiled-tool.js';
import { findMalformedBlock, isContentBlock, requireContentBlocks } from '../content-blocks.js';
import { requireJson, toJsonText, toSentValue } from '../json-text.js';

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
  // Text and numbers are none of the objects below.
  if (typeof returned === 'string' && !tool.output) return { content: [{ type: 'text', text: returned }] };
  if (isInputRequired(returned)) {
    checkNestedMeta(describeTool(tool), returned);
    checkInputRequestMethods(describeTool(tool), returned);
    return { ...returned };
  }
  const result = isToolResultParts(returned) ? returned : readProtocolResult(tool, returned);
  if (result) return encodeToolResult(tool, result);
  return tool.output ? encodeStructured(tool, returned) : { content: encodeData(tool, returned, report) };
}

const checkParts = checkObject({ 'isError?': checkBoolean, '_meta?': checkObject() });

/**
 * Encodes the parts of a tool result. The result always has content, because strict clients reject a result without it.
 */
function encodeToolResult(tool: CompiledTool, parts: ToolResultParts): JsonObject | Promise<JsonObject> {
  const { content, structuredContent, isError, _meta } = parts;
  const subject = describeTool(tool);
  requireResult(`the result of ${subject}`, parts, checkParts, 'handler/output');
  requireContent(subject, content, _meta);
  const extra = { ...(isError ? { isError } : {}), ...(_meta ? { _meta } : {}) };
  if (structuredContent === undefined) return { content: content?.length ? content : toContentBlocks(''), ...extra };
  if (content?.length) requireJson(subject, structuredContent);
  if (isError) {
    const shownContent = content?.length ? content : toContentBlocks(toJsonText(subject, structuredContent));
    return { content: shownContent, structuredContent, ...extra };
  }
  return thenMaybe(encodeStructured(tool, structuredContent, content), result => ({ ...result, ...extra }));
}

function encodeStructured(
  tool: CompiledTool,
  value: unknown,
  content?: readonly ContentBlock[],
): JsonObject | Promise<JsonObject> {
  return thenMaybe<CheckResult, JsonObject>(checkOutput(tool, value), checked => {
    if (!checked.ok) {
      throw new TenonError(
        'handler/output',
        `the result of ${describeTool(tool)} does not match its output schema: ${describeIssues(checked.issues)}`,
        { hint: 'return a value that matches `output`, or change the schema' },
      );
    }
    const structuredContent = checked.value ?? null;
    return {
      content: content?.length ? content : toContentBlocks(toJsonText(describeTool(tool), structuredContent)),
      structuredContent,
    };
  });
}

/** Checks what JSON sends of a value. A Standard Schema checks the value itself first, and may transform it. */
function checkOutput(tool: CompiledTool, value: unknown): CheckResult | Promise<CheckResult> {
  const { output, definition } = tool;
  if (output === undefined) return { ok: true, value };
  if (!isStandardSchema(definition.output)) return output.check(toSentValue(describeTool(tool), value));
  return thenMaybe<CheckResult, CheckResult>(output.check(value), checked => {
    const sent = checked.ok ? toSentValue(describeTool(tool), checked.value ?? null) : undefined;
    return !checked.ok || sent === checked.value ? checked : createJsonCheck(output.json)(sent);
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

/**
 * Reads a result in the form of the specification, which handlers for other libraries return. Data of a tool with
 * `output` may look the same. For such a tool, only `structuredContent` or `isError` identifies a result.
 */
function readProtocolResult(tool: CompiledTool, value: unknown): ToolResultParts | undefined {
  if (!isObject(value) || !Array.isArray(value.content)) return undefined;
  const { resultType: _, ...parts } = value;
  if (tool.output && parts.structuredContent === undefined && parts.isError !== true) return undefined;
  if (!Object.keys(parts).every(key => Object.hasOwn(RESULT_KEYS, key))) return undefined;
  if (!value.content.every(block => isObject(block) && typeof block.type === 'string')) return undefined;
  return toolResult(parts as Parameters<typeof toolResult>[0]);
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
