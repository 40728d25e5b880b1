import { isObject, type JsonObject } from '../../jsonrpc/message.js';

/** Schemas inside one schema, after references are replaced by what they refer to. More is not sent to any model. */
export const MAX_SCHEMAS = 3_000;
/** How far references are followed: how often a definition may stand inside itself, and how many inside each other. */
export interface ExpansionLimits {
  readonly recursion: number;
  readonly references: number;
}

/** Tried in this order until the schema is small enough; what lies beyond is left open. */
export const REACHES: readonly ExpansionLimits[] = [
  { recursion: 2, references: 32 },
  { recursion: 0, references: 8 },
  { recursion: 0, references: 2 },
];

/** One schema being read. */
export interface SchemaReading {
  readonly root: JsonObject;
  readonly reach: ExpansionLimits;
  /** Schemas that may still be read. */
  left: number;
  /** There was more than that. */
  isTooLarge: boolean;
  /** Why the schema cannot be used; the first reason stays. */
  fault: string | undefined;
  /** The references that are being followed, outermost first. */
  readonly following: string[];
}

/** What a local reference points at; `undefined` when it points at nothing here. */
export function findTarget(root: JsonObject, reference: string): unknown {
  const [document = '', fragment = ''] = reference.split('#', 2);
  if (document !== '' && document !== root.$id) return undefined;
  if (fragment !== '' && !fragment.startsWith('/')) return anchored(root, fragment);
  let node: unknown = root;
  for (const token of fragment.split('/').slice(1)) {
    const key = decode(token);
    if (typeof node !== 'object' || node === null || key === undefined || !Object.hasOwn(node, key)) return undefined;
    node = (node as JsonObject)[key];
  }
  return node;
}

function anchored(root: JsonObject, anchor: string): unknown {
  const places = [root.$defs, root.definitions].flatMap(each => (isObject(each) ? Object.values(each) : []));
  return [root, ...places].find(each => isObject(each) && (each.$anchor === anchor || each.$dynamicAnchor === anchor));
}

function decode(token: string): string | undefined {
  try {
    return decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
}
