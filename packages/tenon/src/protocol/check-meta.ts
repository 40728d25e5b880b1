import { TenonError } from '../jsonrpc/error.js';
import { isObject, type JsonObject } from '../jsonrpc/message.js';
import { isMetaKey, isReservedKey } from './meta.js';

/** Prefixes that the protocol's own extensions use for their keys. A provider of such an extension may use them. */
const OFFICIAL_PREFIX = /^io\.modelcontextprotocol[./]/;

/**
 * Throws when the `_meta` that a user gives has an invalid key (`meta/key`), or one that only the protocol may define
 * (`meta/reserved`). Values that are no object are left to other checks.
 */
export function checkMeta(subject: string, meta: unknown): void {
  if (!isObject(meta)) return;
  for (const key of Object.keys(meta)) {
    if (!isMetaKey(key)) {
      throw new TenonError('meta/key', `invalid key "${key.slice(0, 80)}" in the _meta of ${subject}`, {
        expected: 'a name with an optional prefix, such as com.example/thing',
      });
    }
    if (isReservedKey(key) && !OFFICIAL_PREFIX.test(key)) {
      throw new TenonError(
        'meta/reserved',
        `the key "${key.slice(0, 80)}" in the _meta of ${subject} is reserved for the protocol`,
        {
          hint: 'use your own prefix, such as com.example/thing',
        },
      );
    }
  }
}

/** Members of results and input requests that have `_meta` of their own, or in their items. */
const NESTED = ['content', 'contents', 'messages', 'resource', 'roots', 'tools', 'params'] as const;
/** Maximum depth of the check: a resource in a tool result in a sampling message of an input request is the deepest. */
const MAX_DEPTH = 12;

/** Checks every `_meta` in a result or input request of a handler: its own, and those of its content. */
export function checkNestedMeta(subject: string, value: unknown, depth = 0): void {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return;
  if (Array.isArray(value)) {
    for (const item of value) checkNestedMeta(subject, item, depth + 1);
    return;
  }
  const members = value as JsonObject;
  checkMeta(subject, members._meta);
  for (const name of NESTED) checkNestedMeta(subject, members[name], depth + 1);
  if (isObject(members.inputRequests)) checkNestedMeta(subject, Object.values(members.inputRequests), depth + 1);
}
