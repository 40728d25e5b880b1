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
  const sound = requireSound(caller, link, method, result, 'the result');
  if (method === 'tools/call' && resultType === 'complete') return fitting(caller, link, sound, params.name);
  return sound.nextCursor === null ? withoutCursor(sound) : sound;
}

/** Some servers end a list with a cursor that is `null`. */
function withoutCursor({ nextCursor: _, ...rest }: JsonObject): JsonObject {
  return rest;
}

/** The member of a result that holds its entries. */
const entryLists: { readonly [method: string]: string | undefined } = {
  'tools/list': 'tools',
  'tools/call': 'content',
  'prompts/list': 'prompts',
  'prompts/get': 'messages',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'resources/read': 'contents',
};

/**
 * Returns the result if it is well-formed. Else reports its malformed entries and returns it without them. Throws
 * `peer/invalid-result` with `strictResults`, when something else is wrong, and when no content is left.
 */
export function requireSound(
  caller: Caller,
  link: Link,
  method: MethodName,
  result: JsonObject,
  subject: string,
): JsonObject {
  const problem = methods[method].result(result);
  if (problem === undefined) return result;
  const sound = caller.options.strictResults ? undefined : dropMalformedEntries(caller, link, method, result);
  if (sound === undefined) throw invalid(link, method, `${subject} is malformed: ${problem}`);
  return sound;
}

/** Returns undefined when the entries are not what is wrong, or when none is left of what the result has to say. */
function dropMalformedEntries(
  caller: Caller,
  link: Link,
  method: MethodName,
  result: JsonObject,
): JsonObject | undefined {
  const key = entryLists[method];
  const entries = key === undefined ? undefined : result[key];
  if (key === undefined || !Array.isArray(entries)) return undefined;
  const problemOf = (some: unknown[]) => methods[method].result({ ...result, [key]: some });
  if (problemOf([]) !== undefined) return undefined;
  const dropped: TenonError[] = [];
  const sound = entries.flatMap((entry: unknown, index) => {
    if (problemOf([entry]) === undefined) return [entry];
    const mended = mendResourceLink(entry);
    const problem = problemOf([mended]);
    if (problem === undefined) return [mended];
    const { name } = isObject(entry) ? entry : {};
    const which = typeof name === 'string' ? JSON.stringify(name.slice(0, 128)) : `${key}[${index}]`;
    const summary = `${which} is left out: ${problem.replace(`/${key}/0`, `/${key}/${index}`)}`;
    dropped.push(new TenonError('peer/unusable-entry', summary, { peer: link.peer, method }));
    return [];
  });
  const isList = method.endsWith('/list');
  if (!isList && sound.length === 0 && result.structuredContent === undefined) return undefined;
  for (const error of dropped) caller.emitter.emit('problem', error);
  return { ...result, [key]: sound };
}

/** Reads an embedded resource without contents, in content or in a message, as a link to the resource. */
function mendResourceLink(entry: unknown): unknown {
  if (!isObject(entry)) return entry;
  if (isObject(entry.content)) return { ...entry, content: mendResourceLink(entry.content) };
  const { type, uri, resource, name } = entry;
  if (type !== 'resource' || typeof uri !== 'string' || resource !== undefined) return entry;
  const lastSegment = /([^/]+)\/*$/.exec(uri)?.[1] ?? uri;
  return { ...entry, type: 'resource_link', name: typeof name === 'string' ? name : lastSegment };
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
