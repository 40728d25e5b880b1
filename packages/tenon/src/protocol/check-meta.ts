import { findJsonLoss, isObject, JSON_VALUES, type JsonObject, TenonError } from '@tenon/base';
import { isMetaKey, isReservedKey } from './meta.js';

/** Prefix of keys of the protocol's own extensions. Only the implementation of such an extension may use them. */
const OFFICIAL_PREFIX = /^io\.modelcontextprotocol[./]/;

/**
 * Checks the keys of a `_meta` object, and that JSON can represent it.
 * @throws TenonError the errors of `checkMetaKeys`, `meta/value` for a value that is not JSON.
 */
export function checkMeta(subject: string, meta: unknown): void {
  if (!isObject(meta)) return;
  checkMetaKeys(subject, meta);
  const loss = findJsonLoss(meta);
  if (loss)
    throw new TenonError('meta/value', `the _meta of ${subject} cannot be serialized as JSON`, {
      expected: JSON_VALUES,
      received: `${loss.kind} at ${loss.path}`,
      hint: 'pass it as text: String(value), or as a plain object or array',
    });
}

/**
 * Checks the keys of a `_meta` object.
 * @throws TenonError `meta/key` for an invalid key, `meta/reserved` for a key that only the protocol may define.
 */
export function checkMetaKeys(subject: string, meta: unknown): void {
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

/** Members of results and input requests that have `_meta`, or whose items have it. */
const NESTED = ['content', 'contents', 'messages', 'resource', 'roots', 'tools', 'params'] as const;
/**
 * Maximum depth of the check. The deepest case is a resource in a tool result in a sampling message of an input
 * request.
 */
const MAX_DEPTH = 12;

/**
 * Checks every `_meta` in a result or an input request of a handler, including the `_meta` of its content.
 * @param check Checks one of them.
 */
export function checkNestedMeta(subject: string, value: unknown, check = checkMeta, depth = 0): void {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return;
  if (Array.isArray(value)) {
    for (const item of value) checkNestedMeta(subject, item, check, depth + 1);
    return;
  }
  const members = value as JsonObject;
  check(subject, members._meta);
  for (const name of NESTED) checkNestedMeta(subject, members[name], check, depth + 1);
  if (isObject(members.inputRequests)) checkNestedMeta(subject, Object.values(members.inputRequests), check, depth + 1);
}
