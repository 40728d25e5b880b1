import { isObject } from '../jsonrpc/message.js';
import { type Keyword, listOf, mapOf } from './keywords.js';
import type { Check, Walk } from './walk.js';

/** Whether all of several hold. Where all faults are wanted, none is left out behind the first. */
function every<T>(each: readonly T[], walk: Walk, holds: (one: T) => boolean): boolean {
  if (!walk.all) return each.every(holds);
  let held = true;
  for (const one of each) held = holds(one) && held;
  return held;
}

const dynamicReference: Keyword = (said, { followDynamic }) => {
  if (typeof said !== 'string') return undefined;
  return (value, walk) => walk.beside(followDynamic(said, walk.scope), value);
};

/** What holds where a member is there. The word of draft-07 has names for it too, instead of a schema. */
const dependent =
  (keyword: string): Keyword =>
  (said, { check }) => {
    const checks = mapOf(said, keyword).map(([name, needs]) => {
      return [name, check(Array.isArray(needs) ? { dependentRequired: { [name]: needs } } : needs)] as const;
    });
    return (value, walk) =>
      !isObject(value) ||
      every(checks, walk, ([name, each]) => !Object.hasOwn(value, name) || walk.beside(each, value));
  };

/** What stands for the schema that it refers to. */
export const references: { readonly [keyword: string]: Keyword } = {
  $ref(said, { follow }) {
    if (typeof said !== 'string') return undefined;
    const check = follow(said);
    return (value, walk) => walk.beside(check, value);
  },
  $recursiveRef: dynamicReference,
  $dynamicRef: dynamicReference,
};

/** What applies other schemas to the value itself. In the order in which faults are told. */
export const forms: { readonly [keyword: string]: Keyword } = {
  not(said, { check }) {
    const excluded = check(said);
    return (value, walk) => walk.attempt(excluded, value) !== undefined || walk.fail('not', said, value);
  },
  anyOf(said, { check }) {
    const checks = listOf(said, 'anyOf').map(check);
    return (value, walk) => {
      const failed = [];
      for (const each of checks) {
        const faults = walk.attempt(each, value);
        if (faults !== undefined) failed.push(faults);
        // What the others speak of counts as spoken of, too.
        else if (walk.seen === undefined) return true;
      }
      return failed.length < checks.length || walk.fail('anyOf', said, value, failed);
    };
  },
  allOf(said, { check }) {
    const checks = listOf(said, 'allOf').map(check);
    return (value, walk) => every(checks, walk, each => walk.beside(each, value));
  },
  oneOf(said, { check }) {
    const checks = listOf(said, 'oneOf').map(check);
    return (value, walk) => {
      const failed = checks.map(each => walk.attempt(each, value)).filter(faults => faults !== undefined);
      return failed.length === checks.length - 1 || walk.fail('oneOf', said, value, failed);
    };
  },
  if(said, { check, node }) {
    const condition = check(said);
    const [met, unmet] = [check(node.then ?? true), check(node.else ?? true)];
    return (value, walk) => walk.beside(walk.attempt(condition, value) === undefined ? met : unmet, value);
  },
  dependentSchemas: dependent('dependentSchemas'),
  dependencies: dependent('dependencies'),
};

/** What applies other schemas to members. */
export const onMembers: { readonly [keyword: string]: Keyword } = {
  propertyNames(said, { check }) {
    const named = check(said);
    return (value, walk) => {
      if (!isObject(value)) return true;
      return (
        Object.keys(value).every(name => walk.attempt(named, name) === undefined) ||
        walk.fail('propertyNames', said, value)
      );
    };
  },
  properties(said, { check }) {
    const checks = mapOf(said, 'properties').map(([name, schema]) => [name, check(schema)] as const);
    return (value, walk) =>
      !isObject(value) ||
      every(checks, walk, ([name, each]) => !Object.hasOwn(value, name) || walk.inside(each, value[name], name));
  },
  patternProperties(said, { check, matcher }) {
    const checks = mapOf(said, 'patternProperties').map(
      ([pattern, schema]) => [matcher(pattern), check(schema)] as const,
    );
    return (value, walk) =>
      !isObject(value) ||
      every(checks, walk, ([matches, each]) =>
        every(Object.keys(value), walk, name => !matches(name) || walk.inside(each, value[name], name)),
      );
  },
  additionalProperties(said, { check, matcher, node: { properties, patternProperties } }) {
    const named = isObject(properties) ? properties : {};
    const patterns = Object.keys(isObject(patternProperties) ? patternProperties : {}).map(matcher);
    const isKnown = (name: string) => Object.hasOwn(named, name) || patterns.some(matches => matches(name));
    return others(check(said), name => isKnown(name));
  },
};

/** What is left of an object. */
function others(check: Check, isKnown: (name: string, walk: Walk) => boolean): Check {
  return (value, walk) => {
    if (!isObject(value)) return true;
    return every(Object.keys(value), walk, name => isKnown(name, walk) || walk.inside(check, value[name], name));
  };
}

/** What is left of a list, from an item on. */
function rest(check: Check, isKnown: (at: number, walk: Walk) => boolean): Check {
  return (value, walk) => {
    if (!Array.isArray(value)) return true;
    const left = [...value.keys()].filter(at => !isKnown(at, walk));
    return every(left, walk, at => walk.inside(check, value[at], at));
  };
}

const tuple = (said: unknown, keyword: string, check: (schema: unknown) => Check): Check => {
  const checks = listOf(said, keyword).map(check);
  return (value, walk) => {
    if (!Array.isArray(value)) return true;
    return every([...value.slice(0, checks.length).keys()], walk, at =>
      walk.inside(checks[at] as Check, value[at], at),
    );
  };
};

/** What applies other schemas to items. A list of `items` is that of the drafts before 2020-12. */
export const onItems: { readonly [keyword: string]: Keyword } = {
  prefixItems: (said, { check }) => tuple(said, 'prefixItems', check),
  items(said, { check, node: { prefixItems } }) {
    if (Array.isArray(said)) return tuple(said, 'items', check);
    const from = Array.isArray(prefixItems) ? prefixItems.length : 0;
    return rest(check(said), at => at < from);
  },
  additionalItems(said, { check, node: { items } }) {
    return Array.isArray(items) ? rest(check(said), at => at < items.length) : undefined;
  },
  contains(said, { check, node: { minContains, maxContains } }) {
    const wanted = check(said);
    const least = typeof minContains === 'number' ? minContains : undefined;
    const most = typeof maxContains === 'number' ? maxContains : Number.POSITIVE_INFINITY;
    return (value, walk) => {
      if (!Array.isArray(value)) return true;
      const fitting = [...value.keys()].filter(at => walk.attempt(wanted, value[at]) === undefined);
      for (const at of fitting) walk.seen?.add(at);
      if (fitting.length < (least ?? 1))
        return walk.fail(least === undefined ? 'contains' : 'minContains', least, value);
      return fitting.length <= most || walk.fail('maxContains', most, value);
    };
  },
};

/** What is left when all else has spoken. */
export const onTheRest: { readonly [keyword: string]: Keyword } = {
  unevaluatedProperties: (said, { check }) => others(check(said), (name, walk) => walk.seen?.has(name) ?? true),
  unevaluatedItems: (said, { check }) => rest(check(said), (at, walk) => walk.seen?.has(at) ?? true),
};
