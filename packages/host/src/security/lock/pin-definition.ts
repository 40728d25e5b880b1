import { hashSha256, isObject, type JsonObject, TenonError, toCanonicalJson } from '@tenon/base';
import type { ServerInventory } from '../../catalog/server-inventory.js';
import { type PinnedDefinition, type PinnedKind, SECTIONS, type TruncatedMember } from './lock.js';

/**
 * Maximum length of one member of a definition (a description, a schema) that is stored completely, in characters of
 * JSON.
 */
const MAX_MEMBER = 16_384;
const EXCERPT = 400;
const DATE = /^\d{4}-\d{2}-\d{2}(T[\d:.]{5,18}(Z|[+-]\d{2}:?\d{2})?)?$/;

/**
 * Pins the current state of a definition.
 *
 * @throws TenonError `lock/unwritable` when it cannot be represented as JSON.
 */
export function pinDefinition(definition: JsonObject): PinnedDefinition {
  const short: JsonObject[] = [];
  const cut: Record<string, TruncatedMember>[] = [];
  for (const [member, value] of listMembers(definition)) {
    const text = toCanonicalText(value);
    if (text.length <= MAX_MEMBER) short.push(createSingleMember(member, value));
    else
      cut.push(
        createSingleMember(member, {
          digest: computeDigest(value),
          length: text.length,
          excerpt: text.slice(0, EXCERPT),
        }),
      );
  }
  return createPinned(mergeMembers(short), mergeMembers(cut));
}

/** Creates the pinned form of a definition, with its digest. */
export function createPinned(
  definition: JsonObject,
  cut: Readonly<Record<string, TruncatedMember>> = {},
): PinnedDefinition {
  if (Object.keys(cut).length === 0) return { digest: computeDigest(definition), definition };
  return { digest: computeDigest({ definition, cut }), definition, cut };
}

/** Returns the members of a definition that have a value, sorted by name. */
export function listMembers(definition: JsonObject): [string, unknown][] {
  return Object.entries(definition)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

export const computeDigest = (value: unknown): string => `sha256-${hashSha256(toCanonicalText(value))}`;

/** Returns a member of a definition, or `undefined` for an inherited name such as `__proto__`. */
export const getMember = (definition: JsonObject, member: string): unknown =>
  Object.hasOwn(definition, member) ? definition[member] : undefined;

export function toCanonicalText(value: unknown): string {
  try {
    return toCanonicalJson(value);
  } catch (error) {
    throw new TenonError('lock/unwritable', 'cannot serialize a definition as JSON', {
      hint: 'ask the author of the server to correct the definition',
      cause: error,
    });
  }
}

/** Member of a definition that identifies it, by kind. */
const KEYS = {
  tool: 'name',
  prompt: 'name',
  resource: 'uri',
  template: 'uriTemplate',
  skill: 'uri',
  page: 'uri',
} as const;

/**
 * Returns the key of each definition of a kind, and the definition without members that change by themselves, in the
 * server's order.
 */
export function listDefinitions(inventory: ServerInventory, kind: PinnedKind): [string, JsonObject][] {
  const key = KEYS[kind];
  return (inventory[SECTIONS[kind]] ?? []).map(each => {
    const definition: JsonObject = { ...each };
    return [String(definition[key]), kind === 'resource' ? withoutState(definition) : definition];
  });
}

/** Returns the server's own description as one definition. */
export function getServerDefinition({ info, instructions, protocolVersion }: ServerInventory): JsonObject {
  return { ...info, instructions, revision: protocolVersion };
}

/**
 * Removes the size and modification time of a resource, which do not affect its meaning. Keeps the other members of
 * `annotations`.
 */
function withoutState({ size, annotations, ...rest }: JsonObject): JsonObject {
  const measured = typeof size === 'number' ? rest : { ...rest, size };
  if (!isObject(annotations) || typeof annotations.lastModified !== 'string') return { ...measured, annotations };
  const { lastModified, ...others } = annotations;
  if (!DATE.test(lastModified as string)) return { ...measured, annotations };
  return Object.keys(others).length === 0 ? measured : { ...measured, annotations: others };
}

const createSingleMember = <T>(member: string, value: T): Record<string, T> => Object.fromEntries([[member, value]]);

function mergeMembers<T>(members: readonly Record<string, T>[]): Record<string, T> {
  return Object.fromEntries(members.flatMap(each => Object.entries(each)));
}
