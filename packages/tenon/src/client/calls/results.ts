import { TenonError } from '../../jsonrpc/error.js';
import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import type { MethodName } from '../../protocol/method-types.js';
import { methods } from '../../protocol/methods.js';
import type { CallToolResult } from '../../protocol/params-and-results.js';
import type { Issue } from '../../schemas/issues.js';
import { findRefusal } from '../../schemas/peer-refusal.js';
import type { Connection } from '../connection/connection.js';
import { createOutputMismatchError } from './call-checks.js';
import type { CallPipeline } from './call-pipeline.js';

const MISSING_CONTENT: Issue = { path: [], message: 'expected structured content, got none' };

/** Results that a call may have instead of a final one. */
export interface AllowedResults {
  /** True if the result may be an input request, because the caller answers it. */
  readonly inputRequired: boolean;
  /** True if the result may be a task. */
  readonly task: boolean;
}

/** Checks the kind of a result and returns it. Throws for a kind that the call does not allow. */
export function checkResult(
  pipeline: CallPipeline,
  connection: Connection,
  method: MethodName,
  result: JsonObject,
  params: JsonObject,
  expected: AllowedResults,
): JsonObject {
  const { resultType = 'complete' } = result;
  if (resultType === 'input_required' && methods[method].mayRequestInput && expected.inputRequired) return result;
  if (resultType !== 'complete' && !(resultType === 'task' && expected.task))
    throw createInvalidResultError(
      connection,
      method,
      `the result has the type ${JSON.stringify(resultType)}, which is unknown`,
    );
  const checked = checkShape(pipeline, connection, method, result, 'the result');
  if (method === 'tools/call' && resultType === 'complete')
    return checkStructuredContent(pipeline, connection, checked, params.name);
  return checked.nextCursor === null ? withoutCursor(checked) : checked;
}

/** Removes the cursor. Some servers end a list with a cursor that is `null`. */
function withoutCursor({ nextCursor: _, ...rest }: JsonObject): JsonObject {
  return rest;
}

/** The member of a result that contains its entries. */
const ENTRY_KEYS: { readonly [method: string]: string | undefined } = {
  'tools/list': 'tools',
  'tools/call': 'content',
  'prompts/list': 'prompts',
  'prompts/get': 'messages',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'resources/read': 'contents',
};

/**
 * Returns a valid result. Otherwise reports its malformed entries and returns the result without them.
 * @throws TenonError `peer/invalid-result` if `strictResults` is set, if another part is invalid, or if no content is
 * left.
 */
export function checkShape(
  pipeline: CallPipeline,
  connection: Connection,
  method: MethodName,
  result: JsonObject,
  subject: string,
): JsonObject {
  const problem = methods[method].result(result);
  if (problem === undefined) return result;
  const remaining = pipeline.options.strictResults
    ? undefined
    : dropMalformedEntries(pipeline, connection, method, result);
  if (remaining === undefined)
    throw createInvalidResultError(connection, method, `${subject} is malformed: ${problem}`);
  return remaining;
}

/**
 * Removes malformed entries from a result. Returns `undefined` when the problem is not in the entries or no valid entry
 * is left.
 */
function dropMalformedEntries(
  pipeline: CallPipeline,
  connection: Connection,
  method: MethodName,
  result: JsonObject,
): JsonObject | undefined {
  const key = ENTRY_KEYS[method];
  const entries = key === undefined ? undefined : result[key];
  if (key === undefined || !Array.isArray(entries)) return undefined;
  const findProblem = (some: unknown[]) => methods[method].result({ ...result, [key]: some });
  if (findProblem([]) !== undefined) return undefined;
  const dropped: TenonError[] = [];
  const remaining = entries.flatMap((entry: unknown, index) => {
    if (findProblem([entry]) === undefined) return [entry];
    const mended = mendResourceLink(entry);
    const problem = findProblem([mended]);
    if (problem === undefined) return [mended];
    const { name } = isObject(entry) ? entry : {};
    const label = typeof name === 'string' ? JSON.stringify(name.slice(0, 128)) : `${key}[${index}]`;
    const summary = `${label} was ignored: ${problem.replace(`/${key}/0`, `/${key}/${index}`)}`;
    dropped.push(new TenonError('peer/unusable-entry', summary, { peer: connection.peer, method }));
    return [];
  });
  const isList = method.endsWith('/list');
  if (!isList && remaining.length === 0 && result.structuredContent === undefined) return undefined;
  for (const error of dropped) pipeline.emitter.emit('error', error);
  return { ...result, [key]: remaining };
}

/** Converts an embedded resource without contents to a link to the resource. */
function mendResourceLink(entry: unknown): unknown {
  if (!isObject(entry)) return entry;
  if (isObject(entry.content)) return { ...entry, content: mendResourceLink(entry.content) };
  const { type, uri, resource, name } = entry;
  if (type !== 'resource' || typeof uri !== 'string' || resource !== undefined) return entry;
  const lastSegment = /([^/]+)\/*$/.exec(uri)?.[1] ?? uri;
  return { ...entry, type: 'resource_link', name: typeof name === 'string' ? name : lastSegment };
}

/** Checks that the structured content of a tool matches its output schema. */
export function checkStructuredContent(
  pipeline: CallPipeline,
  connection: Connection,
  result: JsonObject,
  tool: unknown,
): JsonObject {
  const cachedTool = pipeline.toolCache.get(tool as string);
  const outputSchema = cachedTool?.tool.outputSchema;
  const { structuredContent } = result;
  const isMissing =
    structuredContent === undefined ||
    (outputSchema === undefined && isObject(structuredContent) && Object.keys(structuredContent).length === 0);
  if (isMissing && (outputSchema === undefined || result.isError)) return withoutStructured(result);
  if (cachedTool?.outputValidator === undefined || result.isError) return result;
  const refusal = isMissing
    ? { limit: undefined, issues: [MISSING_CONTENT] }
    : findRefusal(cachedTool.outputValidator.check(structuredContent));
  if (refusal === undefined) return result;
  const error = createOutputMismatchError(connection, tool as string, refusal);
  if (pipeline.options.validate !== 'warn') throw error;
  pipeline.emitter.emit('error', error);
  return result;
}

function withoutStructured(result: JsonObject): JsonObject {
  if (!('structuredContent' in result)) return result;
  const { structuredContent: _, ...rest } = result;
  return rest;
}

/**
 * Returns the value of a tool: its structured content, else its whole result. The list of tools does not matter,
 * because a gateway to a server of an earlier version lists no output schemas. Throws `tool/failed` for a result with
 * `isError`.
 */
export function getToolValue(pipeline: CallPipeline, result: CallToolResult, name: string | undefined): unknown {
  if (!result.isError) return result.structuredContent === undefined ? result : result.structuredContent;
  const text = result.content.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('\n');
  const tool = name === undefined ? 'the tool' : `tool "${name}"`;
  throw new TenonError('tool/failed', text || `${tool} failed`, {
    peer: pipeline.connections.lastConnection.peer,
    method: name === undefined ? 'tools/call' : `tools/call ${name}`,
    data: result,
  });
}

export function createInvalidResultError(
  { peer }: Pick<Connection, 'peer'>,
  method: string,
  summary: string,
): TenonError {
  return new TenonError('peer/invalid-result', summary, { peer, method });
}
