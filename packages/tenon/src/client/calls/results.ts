import { describeIssues, EXECUTED, EXECUTED_ADVICE, isObject, type JsonObject, TenonError } from '@tenon/base';
import { dropMalformedEntries } from '../../protocol/malformed-entries.js';
import type { MethodName } from '../../protocol/method-types.js';
import { methods } from '../../protocol/methods.js';
import type { CallToolResult } from '../../protocol/params-and-results.js';
import { withLists } from '../../protocol/tolerant-reading.js';
import { findRefusal } from '../../schemas/peer-refusal.js';
import type { Connection } from '../connection/connection.js';
import type { CallContext } from './call-context.js';

/** Results that a call may have instead of a final one. */
export interface AllowedResults {
  /** True if the result may be an input request, because the caller answers it. */
  readonly inputRequired: boolean;
  /** True if the result may be a task. */
  readonly task: boolean;
}

/** Checks the kind of a result and returns it. Throws for a kind that the call does not allow. */
export function checkResult(
  pipeline: CallContext,
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
  const checked = checkShape(connection, method, result, 'the result');
  return method === 'tools/call' && resultType === 'complete'
    ? checkStructuredContent(pipeline, connection, checked, params.name)
    : checked;
}

/**
 * Returns a valid result. Otherwise reports its deviations and malformed entries, and returns the result without them.
 * @throws TenonError `peer/invalid-result` if `strict` is set, if another part is invalid, or if no content is left.
 */
export function checkShape(
  connection: Connection,
  method: MethodName,
  received: JsonObject,
  subject: string,
): JsonObject {
  const result = withLists(connection, method, received);
  const issue = methods[method].result(result);
  if (issue === undefined) return result;
  const remaining = dropMalformedEntries(connection, method, result);
  if (remaining === undefined) throw createInvalidResultError(connection, method, `${subject} is malformed: ${issue}`);
  return remaining;
}

/** Checks that the structured content of a tool matches its output schema. */
export function checkStructuredContent(
  pipeline: CallContext,
  connection: Connection,
  result: JsonObject,
  tool: unknown,
): JsonObject {
  const outputSchema = pipeline.toolCache.get(tool as string)?.outputSchema;
  const { structuredContent } = result;
  const isMissing =
    structuredContent === undefined ||
    (outputSchema === undefined && isObject(structuredContent) && Object.keys(structuredContent).length === 0);
  if (isMissing && (outputSchema === undefined || result.isError)) {
    if (!('structuredContent' in result)) return result;
    const { structuredContent: _, ...rest } = result;
    return rest;
  }
  const { validate } = pipeline.options;
  const validator = pipeline.toolCache.validators.get(tool as string);
  if (validator === undefined || validate === 'off' || result.isError) return result;
  const refusal = isMissing
    ? { limit: undefined, issues: [{ path: [], message: 'expected structured content, got none' }] }
    : findRefusal(validator.check(structuredContent));
  if (refusal === undefined) return result;
  const { limit, issues } = refusal;
  const reason = limit === undefined ? 'does not match its outputSchema' : 'is refused';
  const error = new TenonError(
    limit ?? 'peer/invalid-result',
    `the result of the tool "${tool}" ${reason}: ${describeIssues(issues)}`,
    {
      peer: connection.peer,
      method: 'tools/call',
      hint: `${EXECUTED_ADVICE}, or connect with \`validate: "warn"\` to accept such results`,
      data: EXECUTED,
    },
  );
  if (validate !== 'warn') throw error;
  pipeline.emitter.emit('error', error);
  return result;
}

/**
 * Returns the value of a tool: its structured content, else its whole result. The list of tools does not matter,
 * because a gateway to a server of an earlier version lists no output schemas. Throws `tool/failed` for a result with
 * `isError`.
 */
export function getToolValue(pipeline: CallContext, result: CallToolResult, name: string | undefined): unknown {
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
