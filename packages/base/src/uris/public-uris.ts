import { isObject, type JsonObject } from '../json/json-object.js';
import { mapPageAddresses } from './page-addresses.js';

/**
 * Wraps the URIs of resources in a result so that they name their server. Returns the same result if no URI changes.
 */
export function withPublicUris(result: JsonObject, toPublic: (uri: string) => string): JsonObject {
  const content = mapObjects(result.content, block => mapBlock(block, toPublic));
  const contents = mapObjects(result.contents, each => mapUri(each, toPublic));
  const messages = mapObjects(result.messages, message => {
    const inner = isObject(message.content) ? mapBlock(message.content, toPublic) : message.content;
    return inner === message.content ? message : { ...message, content: inner };
  });
  const shown = mapPageAddresses(result, toPublic);
  if (content === result.content && contents === result.contents && messages === result.messages) return shown;
  return {
    ...shown,
    ...(content === undefined ? {} : { content }),
    ...(contents === undefined ? {} : { contents }),
    ...(messages === undefined ? {} : { messages }),
  };
}

function mapObjects(list: unknown, change: (entry: JsonObject) => JsonObject): unknown {
  if (!Array.isArray(list)) return list;
  let hasChanged = false;
  const all = list.map(entry => {
    if (!isObject(entry)) return entry;
    const now = change(entry);
    hasChanged ||= now !== entry;
    return now;
  });
  return hasChanged ? all : list;
}

function mapBlock(received: JsonObject, toPublic: (uri: string) => string): JsonObject {
  const block = mapPageAddresses(received, toPublic);
  if (block.type === 'resource_link') return mapUri(block, toPublic);
  if (block.type !== 'resource' || !isObject(block.resource)) return block;
  const resource = mapUri(block.resource, toPublic);
  return resource === block.resource ? block : { ...block, resource };
}

function mapUri(holder: JsonObject, toPublic: (uri: string) => string): JsonObject {
  if (typeof holder.uri !== 'string') return holder;
  const uri = toPublic(holder.uri);
  return uri === holder.uri ? holder : { ...holder, uri };
}
