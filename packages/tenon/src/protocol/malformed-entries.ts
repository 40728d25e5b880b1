import { isObject, type JsonObject, TenonError, toJsonObject } from '@tenon/base';
import { type TolerantConnection, tolerate } from '../jsonrpc/tolerance.js';
import type { MethodName } from './method-types.js';
import { methods } from './methods.js';
import { resultLists } from './tolerant-reading.js';

/**
 * Returns a result without its malformed entries, each of which is reported as `peer/unusable-entry`. Returns
 * `undefined` with `strict`, when the issue is not in the entries, or when no valid entry is left.
 */
export function dropMalformedEntries(
  connection: TolerantConnection,
  method: MethodName,
  result: JsonObject,
): JsonObject | undefined {
  const key = method === 'tools/call' ? 'content' : resultLists[method];
  const entries = key === undefined ? undefined : result[key];
  if (connection.strict || key === undefined || !Array.isArray(entries)) return undefined;
  const findIssue = (some: unknown[]) => methods[method].result({ ...result, [key]: some });
  if (findIssue([]) !== undefined) return undefined;
  const dropped: TenonError[] = [];
  const remaining = entries.flatMap((entry: unknown, index) => {
    if (findIssue([entry]) === undefined) return [entry];
    const link = toResourceLink(entry);
    const issue = findIssue([link]);
    if (issue === undefined) {
      tolerate(connection, 'bare-resource', method, 'an embedded resource without contents counts as a link to it');
      return [link];
    }
    const { name } = toJsonObject(entry);
    const label = typeof name === 'string' ? JSON.stringify(name.slice(0, 128)) : `${key}[${index}]`;
    const summary = `${label} was ignored: ${issue.replace(`/${key}/0`, `/${key}/${index}`)}`;
    dropped.push(new TenonError('peer/unusable-entry', summary, { peer: connection.peer, method }));
    return [];
  });
  const isList = method.endsWith('/list');
  if (!isList && remaining.length === 0 && result.structuredContent === undefined) return undefined;
  for (const error of dropped) connection.onError(error);
  return { ...result, [key]: remaining };
}

/** Converts an embedded resource without contents to a link to the resource. */
function toResourceLink(entry: unknown): unknown {
  if (!isObject(entry)) return entry;
  if (isObject(entry.content)) return { ...entry, content: toResourceLink(entry.content) };
  const { type, resource, ...others } = entry;
  if (
    type !== 'resource' ||
    (isObject(resource) ? resource.text !== undefined || resource.blob !== undefined : resource)
  )
    return entry;
  const link = { ...toJsonObject(resource), ...others };
  const { uri, name } = link;
  if (typeof uri !== 'string') return entry;
  const lastSegment = /([^/]+)\/*$/.exec(uri)?.[1] ?? uri;
  return { ...link, type: 'resource_link', name: typeof name === 'string' ? name : lastSegment };
}
