import { isObject, type JsonObject } from '../jsonrpc/message.js';

/** The keys of `_meta` that the protocol itself uses. https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta */
export const PROTOCOL_VERSION = 'io.modelcontextprotocol/protocolVersion';
export const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';
export const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
export const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';
export const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';
export const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';
/** Names the task that a message belongs to, `{ taskId }`, where tasks are made by a parameter. */
export const RELATED_TASK = 'io.modelcontextprotocol/related-task';
/** Text for the model as soon as a task was created: a string in `_meta` of the result that announces the task. */
export const MODEL_IMMEDIATE_RESPONSE = 'io.modelcontextprotocol/model-immediate-response';

const LABEL = /^[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;
const NAME = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?$/;
const RESERVED = new Set(['mcp', 'modelcontextprotocol']);

/** True for a key of the form `label.label/name`, or just `name`. */
export function isMetaKey(key: string): boolean {
  const slash = key.indexOf('/');
  if (slash < 0) return key !== '' && NAME.test(key);
  return (
    NAME.test(key.slice(slash + 1)) &&
    key
      .slice(0, slash)
      .split('.')
      .every(label => LABEL.test(label))
  );
}

/**
 * True if the prefix of a key belongs to the protocol in any version. In 2025-06-18 `mcp` and `modelcontextprotocol`
 * are reserved as last label but one (`mcp.dev/`), later as second label (`dev.mcp/`). As only label they are taken for
 * the protocol's too. `com.example.mcp/` is free in every version.
 */
export function isReservedKey(key: string): boolean {
  const slash = key.indexOf('/');
  if (slash <= 0) return false;
  const labels = key.slice(0, slash).split('.');
  const second = labels.length === 1 ? labels[0] : labels[1];
  return RESERVED.has(second ?? '') || RESERVED.has(labels.at(-2) ?? '');
}

/** True if a string may name an extension: a `_meta` key that has a prefix. */
export function isExtensionId(id: string): boolean {
  return id.indexOf('/') > 0 && !id.endsWith('/') && isMetaKey(id);
}

/** Returns the `_meta` of params or of a result: an empty object where there is none. */
export function readMeta({ _meta }: JsonObject): JsonObject {
  return isObject(_meta) ? _meta : {};
}
