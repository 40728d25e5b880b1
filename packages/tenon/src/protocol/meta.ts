import { type JsonObject, toJsonObject } from '@tenon/base';

/**
 * The `_meta` keys of the protocol itself.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta
 */
export const PROTOCOL_VERSION = 'io.modelcontextprotocol/protocolVersion';
export const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';
export const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
export const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';
export const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';
export const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';
/** The task of a message, `{ taskId }`, on versions with the `task` parameter. */
export const RELATED_TASK = 'io.modelcontextprotocol/related-task';
/** Text for the model right after a task was created. It is a string in `_meta` of the result that creates the task. */
export const MODEL_IMMEDIATE_RESPONSE = 'io.modelcontextprotocol/model-immediate-response';

const LABEL = /^[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;
const NAME = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?$/;
const RESERVED = new Set(['mcp', 'modelcontextprotocol']);

/** Tells if a key has the form `label.label/name`, or only `name`. */
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
 * Tells if any protocol version reserves the prefix of a key. 2025-06-18 reserves `mcp` and `modelcontextprotocol` as
 * second-last label (`mcp.dev/`). Later versions reserve them as second label (`dev.mcp/`).
 *
 * As the only label they count as reserved too. `com.example.mcp/` is free in every version.
 */
export function isReservedKey(key: string): boolean {
  const slash = key.indexOf('/');
  if (slash <= 0) return false;
  const labels = key.slice(0, slash).split('.');
  const second = labels.length === 1 ? labels[0] : labels[1];
  return RESERVED.has(second ?? '') || RESERVED.has(labels.at(-2) ?? '');
}

/** Tells if a string is a valid extension ID: a `_meta` key with a prefix. */
export function isExtensionId(id: string): boolean {
  return id.indexOf('/') > 0 && !id.endsWith('/') && isMetaKey(id);
}

/** Returns the `_meta` of params or of a result. Returns an empty object if there is none. */
export function readMeta({ _meta }: JsonObject): JsonObject {
  return toJsonObject(_meta);
}
