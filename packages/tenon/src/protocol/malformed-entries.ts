import { isObject, type JsonObject, TenonError, toJsonObject } from '@tenon/base';
import { type TolerantConnection, tolerate } from '../jsonrpc/tolerance.js';
import type { MethodName } from './method-types.js';
import { methods } from './methods.js';
import { resultLists } from './tolerant-reading.js';

/**
 * Returns a result without the malformed optional members of its entries, and without its malformed entries, each of which
 * is reported as `peer/unusable-entry`. Returns `undefined` with `strict`, when the issue is not in the entries, or when no
 * valid entry is left.
 */
export function dropMalformedEntries(
  connection: TolerantConnection,
  method: MethodName,
  result: JsonObject,
): JsonObject | undefined {
  const key = resultLists[method];
  const entries = key === undefined ? undefined : result[key];
  if (connection.strict || key === undefined || !Array.isArray(entries)) return undefined;
  const findIssue = (...some: unknown[]) => methods[method].result({ ...result, [key]: some });
  if (findIssue() !== undefined) return undefined;
  const dropped: TenonError[] = [];
  const remaining = entries.flatMap((entry: unknown, index) => {
    if (findIssue(entry) === undefined) return [entry];
    let read = toResourceLink(entry);
    let issue = findIssue(read);
    if (issue === undefined)
      tolerate(connection, 'bare-resource', method, 'a resource without contents counts as a link');
    const found = issue?.replace('/0', `/${index}`);
    while (issue !== undefined) {
      const member = issue.split(/\W+/)[3] ?? '';
      const members = toJsonObject(read);
      // A required member is missing, or was mistyped.
      if (members[member] === undefined) {
        const label = members.name ? JSON.stringify(members.name).slice(0, 128) : `${key}[${index}]`;
        const summary = `${label} was ignored: ${found}`;
        dropped.push(new TenonError('peer/unusable-entry', summary, { peer: connection.peer, method }));
        return [];
      }
      read = { ...members, [member]: undefined };
      issue = findIssue(read);
    }
    if (found) tolerate(connection, 'mistyped-member', method, `${found}, which counts as absent`);
    return [read];
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
  const contents = toJsonObject(resource);
  if (type !== 'resource' || contents.text !== undefined || contents.blob !== undefined) return entry;
  const link = { ...contents, ...others };
  const { uri, name } = link;
  if (typeof uri !== 'string') return entry;
  const lastSegment = /([^/]+)\/*$/.exec(uri)?.[1] ?? uri;
  return { ...link, type: 'resource_link', name: typeof name === 'string' ? name : lastSegment };
}
