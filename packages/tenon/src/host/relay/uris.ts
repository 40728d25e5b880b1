import { isObject, type JsonObject } from '../../jsonrpc/message.js';

/** Has the URIs of resources in a result say whose they are. The same result when nothing has to be said. */
export function withOuterUris(result: JsonObject, outer: (uri: string) => string): JsonObject {
  const content = changed(result.content, block => inBlock(block, outer));
  const contents = changed(result.contents, each => renamed(each, outer));
  const messages = changed(result.messages, message => {
    const inner = isObject(message.content) ? inBlock(message.content, outer) : message.content;
    return inner === message.content ? message : { ...message, content: inner };
  });
  if (content === result.content && contents === result.contents && messages === result.messages) return result;
  return {
    ...result,
    ...(content === undefined ? {} : { content }),
    ...(contents === undefined ? {} : { contents }),
    ...(messages === undefined ? {} : { messages }),
  };
}

function changed(list: unknown, change: (entry: JsonObject) => JsonObject): unknown {
  if (!Array.isArray(list)) return list;
  let any = false;
  const all = list.map(entry => {
    if (!isObject(entry)) return entry;
    const now = change(entry);
    any ||= now !== entry;
    return now;
  });
  return any ? all : list;
}

function inBlock(block: JsonObject, outer: (uri: string) => string): JsonObject {
  if (block.type === 'resource_link') return renamed(block, outer);
  if (block.type !== 'resource' || !isObject(block.resource)) return block;
  const resource = renamed(block.resource, outer);
  return resource === block.resource ? block : { ...block, resource };
}

function renamed(holder: JsonObject, outer: (uri: string) => string): JsonObject {
  if (typeof holder.uri !== 'string') return holder;
  const uri = outer(holder.uri);
  return uri === holder.uri ? holder : { ...holder, uri };
}
