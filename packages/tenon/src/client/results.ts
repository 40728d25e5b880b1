import { TenonError } from '../jsonrpc/error.js';
import { isObject, type JsonObject } from '../jsonrpc/message.js';
import { type MethodName, methods } from '../model/methods.js';
import type { CallToolResult } from '../model/shapes.js';
import type { Issue } from '../schemas/issues.js';
import type { Caller } from './caller.js';
import { misfit } from './judgement.js';
import type { Link } from './link.js';

const NOTHING: Issue = { path: [], message: 'expected structured content, got none' };

/** What a result may be beside a final one. */
export interface Expected {
  /** A question, since the caller answers it. */
  readonly question: boolean;
  /** A task. */
  readonly task: boolean;
}

/** A result that is what it has to be; throws when it is not. */
export function judged(
  caller: Caller,
  link: Link,
  method: MethodName,
  result: JsonObject,
  params: JsonObject,
  expected: Expected,
): JsonObject {
  const { resultType = 'complete' } = result;
  if (resultType === 'input_required' && methods[method].mayAsk && expected.question) return result;
  if (resultType !== 'complete' && !(resultType === 'task' && expected.task))
    throw invalid(link, method, `the result has the type ${JSON.stringify(resultType)}, which nobody asked for`);
  const problem = methods[method].result(result);
  if (problem) {
    const sound = caller.options.quarantines ? withoutUnsound(caller, link, method, result) : undefined;
    if (sound) return sound;
    throw invalid(link, method, `the result is malformed: ${problem}`);
  }
  if (method === 'tools/call' && resultType === 'complete') return fitting(caller, link, result, params.name);
  return result.nextCursor === null ? withoutCursor(result) : result;
}

/** Some servers end a list with a cursor that is `null`. */
function withoutCursor({ nextCursor: _, ...rest }: JsonObject): JsonObject {
  return rest;
}

const ENTRIES: { readonly [method: string]: string | undefined } = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
};

/** A list without the entries that are malformed; undefined when it is not they that are wrong with it. */
function withoutUnsound(caller: Caller, link: Link, method: MethodName, result: JsonObject): JsonObject | undefined {
  const key = ENTRIES[method];
  const entries = key === undefined ? undefined : result[key];
  if (key === undefined || !Array.isArray(entries)) return undefined;
  const problemOf = (some: unknown[]) => methods[method].result({ ...result, [key]: some });
  if (problemOf([]) !== undefined) return undefined;
  const sound = entries.filter(entry => {
    const problem = problemOf([entry]);
    if (problem === undefined) return true;
    const { name } = isObject(entry) ? entry : {};
    const which = typeof name === 'string' ? JSON.stringify(name.slice(0, 128)) : 'an entry';
    caller.emitter.emit(
      'problem',
      new TenonError('peer/unusable-entry', `${which} is left out: ${problem}`, { peer: link.peer, method }),
    );
    return false;
  });
  const whole = { ...result, [key]: sound };
  return result.nextCursor === null ? withoutCursor(whole) : whole;
}

/** A tool's structured content must fit what the tool says of it. */
export function fitting(caller: Caller, link: Link, result: JsonObject, tool: unknown): JsonObject {
  const known = caller.toolbox.get(tool as string);
  const outputSchema = known?.tool.outputSchema;
  const { structuredContent } = result;
  const none =
    structuredContent === undefined ||
    (outputSchema === undefined && isObject(structuredContent) && Object.keys(structuredContent).length === 0);
  if (none && (outputSchema === undefined || result.isError)) return withoutStructured(result);
  if (known?.output === undefined || result.isError) return result;
  const checked = none ? { ok: false as const, issues: [NOTHING] } : known.output.check(structuredContent);
  if (checked.ok !== false) return result;
  const error = misfit(link, tool as string, checked.issues);
  if (caller.options.validate !== 'warn') throw error;
  caller.emitter.emit('problem', error);
  return result;
}

function withoutStructured(result: JsonObject): JsonObject {
  if (!('structuredContent' in result)) return result;
  const { structuredContent: _, ...rest } = result;
  return rest;
}

/**
 * Returns the value of a tool: its structured content where it has any, else its whole result. The content decides, not the
 * list: a gateway to a server of a version without output schemas lists none. Throws `tool/failed` for a result with `isError`.
 */
export function valueOfTool(caller: Caller, result: CallToolResult, name: string | undefined): unknown {
  if (!result.isError) return result.structuredContent === undefined ? result : result.structuredContent;
  const text = result.content.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('\n');
  const tool = name === undefined ? 'the tool' : `tool "${name}"`;
  throw new TenonError('tool/failed', text || `${tool} failed`, {
    peer: caller.lifeline.last.peer,
    method: name === undefined ? 'tools/call' : `tools/call ${name}`,
    data: result,
  });
}

export function invalid({ peer }: Pick<Link, 'peer'>, method: string, summary: string): TenonError {
  return new TenonError('peer/invalid-result', summary, { peer, method });
}
