import { INVALID_PARAMS } from '../jsonrpc/codes.js';
import { isForPeer, rpcError, TenonError } from '../jsonrpc/error.js';
import { isObject, type JsonObject } from '../jsonrpc/message.js';
import type { ContentBlock } from '../model/content.js';
import { content as isContent } from '../model/methods.js';
import { describeIssues } from '../schemas/issues.js';
import type { Blueprint } from './blueprint.js';
import { type CompiledTool, compileTool } from './compiled-tool.js';
import type { Operation } from './middleware.js';
import { checkMirrors } from './mirrors.js';
import { blocks, isInputRequired, isReply } from './reply.js';
import { complete } from './results.js';
import type { Turn } from './turn.js';
import { isUrlRequired } from './url-first.js';

/** `tools/call`. https://modelcontextprotocol.io/specification/2026-07-28/server/tools */
export async function callTool(blueprint: Blueprint, { params, context }: Operation, turn: Turn): Promise<JsonObject> {
  const tool = findTool(blueprint, params.name as string, turn);
  checkMirrors(tool.mirrors, params.arguments as JsonObject | undefined, turn.header);
  const input = await checkedInput(tool, params.arguments ?? {});
  if (!input.ok) {
    const message = `Invalid arguments for tool ${tool.wire.name}: ${input.why}`;
    if (turn.dialect.errors.invalidArguments === 'error') throw rpcError(INVALID_PARAMS, message);
    return complete(blueprint, failed(message));
  }
  try {
    const returned = await tool.definition.run(input.value as never, context);
    return isInputRequired(returned)
      ? (returned as unknown as JsonObject)
      : complete(blueprint, await shaped(tool, returned));
  } catch (error) {
    return complete(blueprint, excused(blueprint, tool, error, turn));
  }
}

export function findTool({ tools }: Blueprint, name: string, { caller }: Turn): CompiledTool {
  const definition = tools.find(name, caller);
  if (definition === undefined) throw rpcError(INVALID_PARAMS, `Unknown tool: ${name.slice(0, 128)}`);
  return compileTool(name, definition);
}

async function checkedInput(
  tool: CompiledTool,
  args: unknown,
): Promise<{ ok: true; value: unknown } | { ok: false; why: string }> {
  if (tool.input === undefined) return { ok: true, value: args };
  const checked = await tool.input.check(args);
  return checked.ok ? checked : { ok: false, why: describeIssues(checked.issues) };
}

/** Turns what a handler returned into a result. */
async function shaped(tool: CompiledTool, returned: unknown): Promise<JsonObject> {
  if (!isReply(returned)) return tool.output ? structured(tool, returned, undefined) : { content: loose(returned) };
  const { content, structured: value, isError, _meta } = returned;
  const around = { ...(isError ? { isError } : {}), ...(_meta ? { _meta } : {}) };
  if (isError || value === undefined) {
    return { content: content ?? [], ...(value === undefined ? {} : { structuredContent: value }), ...around };
  }
  return { ...(await structured(tool, value, content)), ...around };
}

async function structured(
  tool: CompiledTool,
  value: unknown,
  content: readonly ContentBlock[] | undefined,
): Promise<JsonObject> {
  const checked = tool.output ? await tool.output.check(value) : ({ ok: true, value } as const);
  if (!checked.ok) {
    throw new TenonError(
      'handler/output',
      `tool "${tool.wire.name}" returned what does not fit its output: ${describeIssues(checked.issues)}`,
    );
  }
  const structuredContent = checked.value === undefined ? null : checked.value;
  return { content: content ?? [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
}

function loose(value: unknown): ContentBlock[] {
  if (value === undefined) return [];
  if (typeof value === 'string') return blocks(value);
  if (isBlock(value)) return [value];
  if (Array.isArray(value) && value.every(item => typeof item === 'string' || isBlock(item))) return blocks(value);
  return blocks(JSON.stringify(value) ?? '');
}

const KINDS = new Set(['text', 'image', 'audio', 'resource_link', 'resource']);

function isBlock(value: unknown): value is ContentBlock {
  return isObject(value) && KINDS.has(value.type as string) && isContent(value) === undefined;
}

/** What is thrown for the protocol goes on; what is meant for the model is shown to it; all else is reported and masked. */
function excused({ problem }: Blueprint, tool: CompiledTool, error: unknown, turn: Turn): JsonObject {
  if (TenonError.is(error)) {
    if (isForPeer(error) || isUrlRequired(error)) throw error;
    if (isForModel(error)) return failed(error.message);
  }
  if (!turn.signal.aborted) problem(TenonError.from(error, 'tool/threw', { method: `tools/call ${tool.wire.name}` }));
  return failed(`Tool ${tool.wire.name} failed`);
}

/** What `toolError` made, and that a client can not be asked. What came from another peer names it, and may say more than this one may know. */
export function isForModel(error: unknown): error is TenonError {
  return TenonError.is(error) && error.peer === undefined && /^(tool\/failed|client\/.*)$/.test(error.code);
}

export function failed(text: string): JsonObject {
  return { content: [{ type: 'text', text }], isError: true };
}
