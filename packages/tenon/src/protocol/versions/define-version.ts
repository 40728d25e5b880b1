import type { Dialect, DialectTransforms, FindTransform, Transform } from './dialect.js';
import { composeTransforms, hasTransforms, type MessageTransforms, type VersionChange } from './message-transforms.js';

/** Definition of a protocol version. `changes` are its differences from the previous version. */
export interface VersionDefinition extends Omit<Dialect, 'transforms'> {
  /** The changes since the previous version. */
  readonly changes: readonly VersionChange[];
}

interface VersionDelta {
  readonly protocolVersion: string;
  readonly traits?: Partial<Omit<Dialect, 'transforms' | 'protocolVersion' | 'methods' | 'http' | 'errors'>>;
  readonly http?: Partial<Dialect['http']>;
  readonly errors?: Partial<Dialect['errors']>;
  /** Methods and notifications that the version adds or removes, by sender. */
  readonly client?: MethodChanges;
  readonly server?: MethodChanges;
  readonly changes: readonly VersionChange[];
}

interface MethodChanges {
  readonly adds?: readonly string[];
  readonly drops?: readonly string[];
}

/** Defines a version by its differences from the previous one. */
export function deriveVersion(before: VersionDefinition, next: VersionDelta): VersionDefinition {
  return {
    ...before,
    ...next.traits,
    protocolVersion: next.protocolVersion,
    http: { ...before.http, ...next.http },
    errors: { ...before.errors, ...next.errors },
    methods: {
      client: applyMethodChanges(before.methods.client, next.client),
      server: applyMethodChanges(before.methods.server, next.server),
    },
    changes: next.changes,
  };
}

function applyMethodChanges(
  before: ReadonlySet<string>,
  { adds = [], drops = [] }: MethodChanges = {},
): ReadonlySet<string> {
  return new Set([...before, ...adds].filter(name => !drops.includes(name)));
}

/**
 * Builds dialects, newest first, from version definitions, oldest first. A dialect contains the transforms of all later
 * versions.
 */
export function compileDialects(versions: readonly VersionDefinition[]): Dialect[] {
  const dialects = versions.map((definition, index) => {
    const { changes: _, ...traits } = definition;
    const later = versions.slice(index + 1).flatMap(({ changes }) => changes);
    const encode = filterDefined([...later].reverse().map(change => change.encode));
    const decode = filterDefined(later.map(change => change.decode));
    const transforms: DialectTransforms = {
      encode: { params: memoizeTransforms(encode, 'params'), result: memoizeTransforms(encode, 'result') },
      decode: { params: memoizeTransforms(decode, 'params'), result: memoizeTransforms(decode, 'result') },
    };
    return { ...traits, transforms };
  });
  return dialects.reverse();
}

function filterDefined(all: readonly (MessageTransforms | undefined)[]): MessageTransforms[] {
  return all.filter(each => each !== undefined);
}

/** Stands for all methods that no change mentions. */
const ANY_METHOD = '';

/** Maximum number of methods whose transform is cached, because peers may send any method name. */
const MAX_CACHED = 200;

/** Caches the transform of each method, composed on first use. Methods without changes share one identity transform. */
function memoizeTransforms(
  transforms: readonly MessageTransforms[],
  side: 'params' | 'result',
): FindTransform | undefined {
  if (transforms.length === 0) return undefined;
  const cache = new Map<string, Transform | undefined>();
  const getTransform = (method: string): Transform | undefined => {
    const cached = cache.get(method);
    if (cached !== undefined || cache.has(method)) return cached;
    const isOwn = method === ANY_METHOD || transforms.some(each => hasTransforms(each, side, method));
    const transform = isOwn ? composeTransforms(transforms, side, method) : getTransform(ANY_METHOD);
    if (cache.size < MAX_CACHED) cache.set(method, transform);
    return transform;
  };
  return getTransform;
}
