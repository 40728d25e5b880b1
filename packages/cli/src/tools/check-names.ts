import { toJsonObject } from '@tenon/base';
import { createUsageError } from '../usage-error.js';
import { listParameters } from './type-text.js';

export interface GivenNames {
  /** Names of arguments on the command line. */
  readonly names: readonly string[];
  /** Names that were given in the form of options of the command. */
  readonly options?: readonly string[];
  /** Names in `--args`, which are not checked here. */
  readonly others?: readonly string[];
  /**
   * True if the command has `--args`.
   * @default `true`
   */
  readonly hasArgsOption?: boolean | undefined;
}

/** Names of at most this length are similar by chance. */
const MAX_SHORT_NAME = 2;

/** Rejects names that the schema does not have, unless the schema explicitly allows other names. */
export async function checkNames(
  schema: unknown,
  { names, others = [], options = [], hasArgsOption = true }: GivenNames,
): Promise<void> {
  const parameters = listParameters(schema);
  const known = parameters.map(({ name }) => name);
  const unknown = [...new Set(names.filter(name => !known.includes(name)))];
  const [first = ''] = unknown;
  if (unknown.length === 0 || acceptsOthers(schema)) return;
  const given = new Set([...names, ...others]);
  const missing = parameters.filter(({ name, required }) => required && !given.has(name)).map(({ name }) => name);
  const summary = `unknown argument ${quoteAll(unknown)}`;
  const { findNearestKey } = await import('@tenon/host');
  // An argument that is given already is not what the user has meant.
  const nearest =
    unknown.length === 1 && first.length > MAX_SHORT_NAME
      ? findNearestKey(
          first,
          known.filter(name => !given.has(name)),
        )
      : undefined;
  const listed = known.length === 0 ? 'pass no arguments' : `use one of: ${known.join(', ')}`;
  const isOption = unknown.some(name => options.includes(name));
  const isAllowed = hasArgsOption && toJsonObject(schema).additionalProperties === undefined;
  throw createUsageError(
    missing.length === 0
      ? summary
      : `${summary}, and ${quoteAll(missing)} ${missing.length === 1 ? 'is' : 'are'} missing`,
    `${nearest === undefined ? `${listed}${isAllowed ? '; --args accepts others' : ''}${isOption ? '.' : ''}` : `did you mean "${nearest}"?`}${isOption ? ' See the options of the command with --help' : ''}`,
  );
}

const quoteAll = (names: readonly string[]): string => names.map(name => `"${name}"`).join(', ');

function acceptsOthers(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return true;
  const { additionalProperties, patternProperties, properties } = toJsonObject(schema);
  return (additionalProperties ?? false) !== false || patternProperties !== undefined || properties === undefined;
}
