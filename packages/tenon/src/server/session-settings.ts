import type { JsonObject } from '../jsonrpc/message.js';
import { readLoggingLevel } from '../model/content.js';
import type { Blueprint } from './blueprint.js';
import type { Operation } from './middleware.js';
import { findResource, notFound } from './reading.js';
import type { Turn } from './turn.js';

/** What a client sets for the rest of its session, in the dialects that have sessions. */

export function setLevel(_blueprint: Blueprint, { params }: Operation, turn: Turn): JsonObject {
  const level = readLoggingLevel(params.level);
  if (level !== undefined) turn.setLogLevel?.(level);
  return {};
}

export function subscribe(blueprint: Blueprint, { params }: Operation, turn: Turn): JsonObject {
  const uri = params.uri as string;
  if (findResource(blueprint, uri, turn) === undefined) throw notFound(uri, turn);
  turn.subscriptions?.add(uri);
  return {};
}

export function unsubscribe(_blueprint: Blueprint, { params }: Operation, turn: Turn): JsonObject {
  turn.subscriptions?.remove(params.uri as string);
  return {};
}
