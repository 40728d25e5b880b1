import { isObject, type JsonObject } from './json-object.js';

/** Changes of the arguments of a tool that comes from another author. */
export interface ArgumentChanges {
  /**
   * Values of arguments that the caller leaves out. They become optional.
   * @default none
   */
  readonly defaults?: JsonObject | undefined;
  /**
   * Arguments that callers do not see and cannot set.
   * @default none
   */
  readonly hide?: readonly string[] | undefined;
}

/** Returns the input schema that callers see: without hidden arguments, and with the default values. */
export function changeInputSchema(schema: JsonObject, { defaults = {}, hide = [] }: ArgumentChanges): JsonObject {
  const { required, ...rest } = schema;
  const stillRequired = readRequired(schema).filter(name => !hide.includes(name) && !Object.hasOwn(defaults, name));
  const properties = Object.entries(readProperties(schema))
    .filter(([name]) => !hide.includes(name))
    .map(([name, property]) => [
      name,
      Object.hasOwn(defaults, name) ? { ...(isObject(property) ? property : {}), default: defaults[name] } : property,
    ]);
  return {
    ...rest,
    properties: Object.fromEntries(properties),
    ...(stillRequired.length > 0 ? { required: stillRequired } : {}),
  };
}

/** Arguments of changes that the input schema does not have as they are named, or not as they are hidden. */
export interface ArgumentFaults {
  /** Names that `properties` of the schema does not have. */
  readonly unknown: readonly string[];
  /** Required arguments that are hidden and have no value. */
  readonly missing: readonly string[];
}

/** Finds what the changes name and the input schema does not allow. */
export function findArgumentFaults(schema: JsonObject, { defaults = {}, hide = [] }: ArgumentChanges): ArgumentFaults {
  const properties = readProperties(schema);
  return {
    unknown: [...new Set([...hide, ...Object.keys(defaults)])].filter(name => !Object.hasOwn(properties, name)),
    missing: readRequired(schema).filter(name => hide.includes(name) && !Object.hasOwn(defaults, name)),
  };
}

/** Returns the hidden arguments that a caller has set. */
export const listHiddenArguments = (args: unknown, { hide = [] }: ArgumentChanges): string[] =>
  isObject(args) ? hide.filter(name => Object.hasOwn(args, name)) : [];

/** Returns the arguments with the default values of those that the caller left out. */
export const addDefaults = (args: unknown, { defaults = {} }: ArgumentChanges): JsonObject => ({
  ...defaults,
  ...(isObject(args) ? args : {}),
});

const readProperties = ({ properties }: JsonObject): JsonObject => (isObject(properties) ? properties : {});

const readRequired = ({ required }: JsonObject): string[] =>
  Array.isArray(required) ? required.filter(name => typeof name === 'string') : [];
