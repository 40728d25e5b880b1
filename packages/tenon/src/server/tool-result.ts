import { checkQuestionMethods } from '../conversation/asking/check-questions.js';
import { TenonError } from '../jsonrpc/error.js';
import { follow } from '../jsonrpc/follow.js';
import { isObject, type JsonObject } from '../jsonrpc/message.js';
import type { ContentBlock } from '../model/content.js';
import { checkNestedMeta } from '../model/meta-keys.js';
import { describeIssues } from '../schemas/issues.js';
import type { Checked } from '../schemas/validate.js';
import type { CompiledTool } from './compiled-tool.js';
import { findMisspelt, isContentBlock, requireContentBlocks } from './content-blocks.js';
import { requireJson, toJsonText } from './json-text.js';
import { blocks, isInputRequired, isReply, type Reply, reply } from './reply.js';

type Report = (error: TenonError) => void;

/** Turns the value that a tool's handler returned into a result of `tools/call`. Throws `handler/output` where it cannot be sent. */
export function createToolResult(
  tool: CompiledTool,
  returned: unknown,
  report: Report,
): JsonObject | Promise<JsonObject> {
  if (isInputRequired(returned)) {
    checkNestedMeta(subjectOf(tool), returned);
    checkQuestionMethods(subjectOf(tool), returned);
    return returned as unknown as JsonObject;
  }
  const result = isReply(returned) ? returned : readResult(tool, returned);
  if (result) return encodeReply(tool, result);
  return tool.output ? encodeStructured(tool, returned) : { content: encodeData(tool, returned, report) };
}

/** A result always has content: strict clients refuse one that has none. */
function encodeReply(
  tool: CompiledTool,
  { content, structured, isError, _meta }: Reply,
): JsonObject | Promise<JsonObject> {
  requireContent(subjectOf(tool), content, _meta);
  const around = { ...(isError ? { isError } : {}), ...(_meta ? { _meta } : {}) };
  if (structured === undefined) return { content: content?.length ? content : blocks(''), ...around };
  if (content?.length) requireJson(subjectOf(tool), structured);
  if (isError) {
    const shown = content?.length ? content : blocks(toJsonText(subjectOf(tool), structured));
    return { content: shown, structuredContent: structured, ...around };
  }
  return follow(encodeStructured(tool, structured, content), result => ({ ...result, ...around }));
}

function encodeStructured(
  tool: CompiledTool,
  value: unknown,
  content?: readonly ContentBlock[],
): JsonObject | Promise<JsonObject> {
  return follow<Checked, JsonObject>(tool.output?.check(value) ?? { ok: true, value }, checked => {
    if (!checked.ok) {
      throw new TenonError(
        'handler/output',
        `tool "${tool.wire.name}" returned what does not fit its output: ${describeIssues(checked.issues)}`,
      );
    }
    const structuredContent = checked.value === undefined ? null : checked.value;
    return {
      content: content?.length ? content : blocks(toJsonText(subjectOf(tool), structuredContent)),
      structuredContent,
    };
  });
}

function requireContent(subject: string, content: Reply['content'], _meta: Reply['_meta']): void {
  if (content?.length) requireContentBlocks(subject, content);
  if (content?.length || _meta) checkNestedMeta(subject, { content, _meta });
}

/** The result of a tool that failed by throwing a reply, `throw ctx.fail('…')` for one. */
export function encodeFailure(name: string, { content, _meta }: Reply): JsonObject {
  requireContent(`tool "${name}"`, content, _meta);
  return { content: content?.length ? content : blocks(''), isError: true, ...(_meta ? { _meta } : {}) };
}

const RESULT_KEYS = new Set(['content', 'structuredContent', 'isError', '_meta', 'resultType']);

/**
 * Reads a result in the form of the specification, which handlers written for other libraries return. A tool with an
 * `output` may have data of that form: there only `structuredContent` or `isError` tells it.
 */
function readResult(tool: CompiledTool, value: unknown): Reply | undefined {
  if (!isObject(value) || !Array.isArray(value.content)) return undefined;
  const { content, structuredContent, isError, _meta } = value;
  if (tool.output && structuredContent === undefined && isError !== true) return undefined;
  if (!Object.keys(value).every(key => RESULT_KEYS.has(key))) return undefined;
  if (!content.every(block => isObject(block) && typeof block.type === 'string')) return undefined;
  return reply({
    content: content as ContentBlock[],
    structured: structuredContent,
    isError: isError === true,
    ...(isObject(_meta) ? { _meta } : {}),
  });
}

/** Tools whose misspelt content was reported: it is reported once. */
const reported = new WeakSet<CompiledTool>();

function encodeData(tool: CompiledTool, value: unknown, report: Report): ContentBlock[] {
  if (value === undefined) return blocks('');
  if (typeof value === 'string') return blocks(value);
  const list = isContentBlock(value) ? [value] : value;
  if (Array.isArray(list) && list.length > 0 && list.every(item => typeof item === 'string' || isContentBlock(item))) {
    checkNestedMeta(subjectOf(tool), list);
    return blocks(list);
  }
  const misspelt = reported.has(tool) ? undefined : findMisspelt(subjectOf(tool), value);
  if (misspelt) {
    reported.add(tool);
    report(misspelt);
  }
  return blocks(toJsonText(subjectOf(tool), value));
}

function subjectOf({ wire }: CompiledTool): string {
  return `tool "${wire.name}"`;
}
