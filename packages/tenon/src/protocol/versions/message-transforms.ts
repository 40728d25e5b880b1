import { copyWithout, type JsonObject } from '@tenon/base';
import type { Transform, TransformContext } from './dialect.js';

/** Transforms of one change for peers of earlier versions. The comment above each change describes it. */
export interface VersionChange {
  /** Converts from the newest version to the peer's version. */
  readonly encode?: MessageTransforms;
  /** Converts from the peer's version to the newest version. */
  readonly decode?: MessageTransforms;
}

/**
 * Transforms by target: a part wherever it occurs, or the whole params or result of a method. `*` stands for all
 * methods.
 */
export interface MessageTransforms {
  readonly parts?: { readonly [P in MessagePart]?: Transform };
  readonly params?: { readonly [method: string]: Transform };
  readonly result?: { readonly [method: string]: Transform };
}

export type MessagePart =
  | 'content'
  | 'tool'
  | 'resource'
  | 'template'
  | 'prompt'
  | 'root'
  | 'sampled'
  | 'implementation'
  | 'clientCapabilities'
  | 'serverCapabilities';

interface PartLocation {
  readonly part: MessagePart;
  /** Path to the part. `[]` visits each item of an array; a value that is not an array is visited itself. */
  readonly path: readonly string[];
}

const locatePart = (part: MessagePart, path: string): PartLocation => ({ part, path: path.split(/\.|(?=\[\])/) });

/** Locations of each part in the params and results of the methods. */
const partLocations: {
  readonly [side in 'params' | 'result']: { readonly [method: string]: readonly PartLocation[] };
} = {
  params: {
    initialize: [locatePart('implementation', 'clientInfo'), locatePart('clientCapabilities', 'capabilities')],
    'sampling/createMessage': [locatePart('sampled', 'messages[].content[]'), locatePart('tool', 'tools[]')],
  },
  result: {
    initialize: [locatePart('implementation', 'serverInfo'), locatePart('serverCapabilities', 'capabilities')],
    'server/discover': [locatePart('serverCapabilities', 'capabilities')],
    'tools/list': [locatePart('tool', 'tools[]')],
    'tools/call': [locatePart('content', 'content[]')],
    'resources/list': [locatePart('resource', 'resources[]')],
    'resources/templates/list': [locatePart('template', 'resourceTemplates[]')],
    'prompts/list': [locatePart('prompt', 'prompts[]')],
    'prompts/get': [locatePart('content', 'messages[].content')],
    'sampling/createMessage': [locatePart('sampled', 'content[]')],
    'roots/list': [locatePart('root', 'roots[]')],
  },
};

/** Methods whose results have the form of another method's result. */
const resultAliases: ReadonlyMap<string, string> = new Map([['tasks/result', 'tools/call']]);

function resolveAlias(side: 'params' | 'result', method: string): string {
  return side === 'params' ? method : (resultAliases.get(method) ?? method);
}

/**
 * Composes the transforms of several changes for the params or the result of one method. Returns `undefined` if none
 * applies.
 */
export function composeTransforms(
  transforms: readonly MessageTransforms[],
  side: 'params' | 'result',
  method: string,
): Transform | undefined {
  const name = resolveAlias(side, method);
  const steps = transforms.flatMap(each => {
    const ofParts = (partLocations[side][name] ?? []).flatMap(({ part, path }): Transform[] => {
      const transform = each.parts?.[part];
      return transform ? [(value, context) => transformAt(value, path, transform, context) as JsonObject] : [];
    });
    const ofMethod = [each[side]?.['*'], each[side]?.[name]];
    return [...ofParts, ...ofMethod.filter(step => step !== undefined)];
  });
  if (steps.length === 0) return undefined;
  return (value, context) => steps.reduce((result, step) => step(result, context), value);
}

/** Tells if the params or result of a method have transforms besides those for all methods. */
export function hasTransforms(transforms: MessageTransforms, side: 'params' | 'result', method: string): boolean {
  const name = resolveAlias(side, method);
  return Object.hasOwn(partLocations[side], name) || Object.hasOwn(transforms[side] ?? {}, name);
}

/** Transforms the value at a path, beginning with the path segment at index `from`. */
function transformAt(
  value: unknown,
  path: readonly string[],
  transform: Transform,
  context: TransformContext,
  from = 0,
): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const step = path[from];
  if (step === undefined) return transform(value as JsonObject, context);
  if (step === '[]') {
    if (!Array.isArray(value)) return transformAt(value, path, transform, context, from + 1);
    return value.map(item => transformAt(item, path, transform, context, from + 1));
  }
  const inner = (value as JsonObject)[step];
  return inner === undefined ? value : { ...value, [step]: transformAt(inner, path, transform, context, from + 1) };
}

/** Creates a transform that removes members. It returns the same object if there is nothing to remove. */
export function without(...names: readonly string[]): Transform {
  return value => (names.some(name => name in value) ? copyWithout(value, names) : value);
}

/** Creates a transform that applies another transform to a member, if the member is an object. */
export function transformMember(name: string, transform: Transform): Transform {
  return (value, context) => transformAt(value, [name], transform, context) as JsonObject;
}

/** Creates a transform that applies another transform to each item of a member. */
export function transformEach(name: string, transform: Transform): Transform {
  return (value, context) => transformAt(value, [name, '[]'], transform, context) as JsonObject;
}

/** Composes transforms, which run in the given order. */
export function chain(...transforms: readonly Transform[]): Transform {
  return (value, context) => transforms.reduce((result, transform) => transform(result, context), value);
}
