import type { Run } from '../conversation/asking/asking.js';
import { missing, unable } from '../conversation/capability.js';
import { INVALID_PARAMS } from '../jsonrpc/codes.js';
import { isForPeer, rpcError, TenonError } from '../jsonrpc/error.js';
import { follow, rescue } from '../jsonrpc/follow.js';
import type { JsonObject } from '../jsonrpc/message.js';
import type { ClientCapabilities } from '../model/capabilities.js';
import type { Inputs } from '../model/shapes.js';
import { describeIssues, type Issue } from '../schemas/issues.js';
import type { Checked } from '../schemas/validate.js';
import type { Blueprint } from './blueprint.js';
import { type CompiledTool, compileTool } from './compiled-tool.js';
import { Context } from './context.js';
import type { Front } from './front.js';
import type { Operation } from './middleware.js';
import { checkMirrors } from './mirrors.js';
import { isReply } from './reply.js';
import { complete } from './results.js';
import { type SoundTaskRules, taskRulesOf } from './task-rules.js';
import { createToolResult, encodeFailure } from './tool-result.js';
import type { Turn } from './turn.js';
import { isUrlRequired } from './url-first.js';

/** What comes of a call: at once where it can be. */
type Awaitable = JsonObject | Promise<JsonObject>;

/** `tools/call`. https://modelcontextprotocol.io/specification/2026-07-28/server/tools */
export function callTool(blueprint: Blueprint, operation: Operation, turn: Turn): Awaitable {
  const { params, context } = operation;
  if (blueprint.options.front) return callThrough(blueprint, blueprint.options.front, operation, turn);
  const tool = findTool(blueprint, params.name as string, turn);
  checkMirrors(tool.mirrors, params.arguments as JsonObject | undefined, turn);
  return follow(checkedInput(tool, params.arguments ?? {}), input => {
    if (!input.ok) return complete(blueprint, unfit(tool, input.issues, turn));
    checkNeeds(tool.definition.needs, turn);
    const enter = () => performed(blueprint, tool, input.value, context);
    const perform = () => Context.perform(context, enter);
    const rules = taskRulesOf(tool.definition);
    return follow(servedBy(blueprint, rules, operation, turn, perform) ?? perform(), result =>
      isFinal(result) ? complete(blueprint, result) : result,
    );
  });
}

/** The tool is another's: it judges its own arguments. */
async function callThrough(blueprint: Blueprint, front: Front, operation: Operation, turn: Turn): Promise<JsonObject> {
  const { params, context } = operation;
  const tool = await front.tool(params.name as string, turn);
  checkMirrors(tool.mirrors, params.arguments as JsonObject | undefined, turn);
  const perform = () => Context.perform(context, () => tool.run(params, context, turn));
  const result = await (servedBy(blueprint, tool.rules, operation, turn, perform) ?? perform());
  return isFinal(result) ? complete(blueprint, result) : result;
}

/** Runs a tool's handler with all that belongs to it, for no request in particular. */
export async function enterTool(
  blueprint: Blueprint,
  params: JsonObject,
  turn: Turn,
  run: Run,
  inputs: Inputs,
): Promise<JsonObject> {
  const { front } = blueprint.options;
  if (front) {
    const theirs = await front.tool(params.name as string, turn);
    return theirs.run(params, new Context(turn, run, params, blueprint.options.state, inputs), turn);
  }
  const tool = findTool(blueprint, params.name as string, turn);
  const input = await checkedInput(tool, params.arguments ?? {});
  if (!input.ok) return unfit(tool, input.issues, turn);
  return performed(blueprint, tool, input.value, new Context(turn, run, params, blueprint.options.state, inputs));
}

/** What an extension makes of the call, if any has its own way with it. */
function servedBy(
  { installed }: Blueprint,
  rules: SoundTaskRules | undefined,
  operation: Operation,
  turn: Turn,
  perform: () => Awaitable,
): Promise<JsonObject> | undefined {
  if (installed.length === 0) return undefined;
  const { context } = operation;
  const run = Context.runOf(context);
  const move = (to: Turn, params: JsonObject) => Context.move(context, to, params);
  for (const extension of installed) {
    const served = extension.call?.({ rules, operation, turn, run, perform, move });
    if (served) return served;
  }
  return undefined;
}

function isFinal({ resultType = 'complete' }: JsonObject): boolean {
  return resultType === 'complete';
}

function unfit({ wire }: CompiledTool, issues: Issue[], { dialect }: Turn): JsonObject {
  const message = `Invalid arguments for tool ${wire.name}: ${describeIssues(issues)}`;
  if (dialect.errors.invalidArguments === 'error') throw rpcError(INVALID_PARAMS, message);
  return failed(message);
}

/** Before anything runs: a handler that has done half of its work can not ask who can not be asked. */
export function checkNeeds(needs: ClientCapabilities | undefined, { caller, dialect }: Turn): void {
  const lacks = needs && missing(needs, caller.capabilities);
  if (lacks) throw unable(dialect, lacks);
}

function performed(blueprint: Blueprint, tool: CompiledTool, input: unknown, context: Context): Awaitable {
  return rescue(
    () =>
      follow(tool.definition.run(input as never, context), returned =>
        createToolResult(tool, returned, blueprint.problem),
      ),
    error => excused(blueprint, tool, error, context),
  );
}

function findTool({ tools }: Blueprint, name: string, { caller }: Turn): CompiledTool {
  const definition = tools.find(name, caller);
  if (definition === undefined) throw rpcError(INVALID_PARAMS, `Unknown tool: ${name.slice(0, 128)}`);
  return compileTool(name, definition);
}

function checkedInput({ input }: CompiledTool, args: unknown): Checked | Promise<Checked> {
  return input === undefined ? { ok: true, value: {} } : input.check(args);
}

/** What is thrown for the protocol goes on; what is meant for the model is shown to it; all else is reported and masked. */
function excused({ problem }: Blueprint, tool: CompiledTool, error: unknown, { signal }: Context): JsonObject {
  if (isReply(error)) return encodeFailure(tool.wire.name, error);
  if (TenonError.is(error)) {
    if (isForPeer(error) || isUrlRequired(error)) throw error;
    if (isForModel(error)) return failed(error.message);
  }
  if (!signal.aborted) problem(TenonError.from(error, 'tool/threw', { method: `tools/call ${tool.wire.name}` }));
  return failed(`Tool ${tool.wire.name} failed`);
}

/** What `toolError` made, and that a client can not be asked. What came from another peer names it, and may say more than this one may know. */
export function isForModel(error: unknown): error is TenonError {
  return TenonError.is(error) && error.peer === undefined && /^(tool\/failed|client\/.*)$/.test(error.code);
}

export function failed(text: string): JsonObject {
  return { content: [{ type: 'text', text }], isError: true };
}
