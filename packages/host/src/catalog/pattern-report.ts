import {
  describeIssues,
  dropUndefined,
  findArgumentFaults,
  findNearestKey,
  type JsonObject,
  TenonError,
  toJsonObject,
} from '@tenon/base';
import { loadPeerSchema } from 'tenon';
import { findRefusal } from 'tenon/host-internals';
import { quoteName } from '../config/config-finding.js';
import type { ToolOverride, ToolSettings } from '../config/server-entry.js';
import { compileNames } from '../security/policy/matching/name-patterns.js';

/** Maximum number of patterns that are checked, because a configuration can have any number. */
const MAX_CHECKED = 1000;

/** Pattern or name in a configuration that selects entries of a server. */
export interface CheckedPattern {
  /** Place in the configuration: `tools.exclude`. */
  readonly key: string;
  readonly pattern: string;
  /** True if it applies to an entry of the server. */
  readonly matches: boolean;
  /** True if it hides an argument without which the server refuses calls. */
  readonly isWithoutValue?: boolean | undefined;
}

/** Checks patterns against the names of a server's entries. `*` always applies. */
export const checkPatterns = (
  key: string,
  patterns: readonly string[],
  names: readonly string[],
  certain = true,
): CheckedPattern[] =>
  patterns.map(pattern => ({ key, pattern, matches: pattern === '*' || names.some(compileNames(pattern, certain)) }));

/** Checks the tool settings of a server against the names of its tools. */
export const checkToolSettings = (
  { include = [], exclude = [], overrides = {} }: ToolSettings,
  names: readonly string[],
): CheckedPattern[] => [
  ...checkPatterns('tools.include', include, names),
  ...checkPatterns('tools.exclude', exclude, names, false),
  ...Object.keys(overrides).map(pattern => ({
    key: 'tools.overrides',
    pattern,
    matches: names.includes(pattern),
  })),
];

/** Checks the arguments that a configuration changes against the input schema of the tool, whose arguments it returns too. */
export function checkArguments(
  tool: string,
  override: ToolOverride,
  inputSchema: JsonObject,
): [patterns: CheckedPattern[], names: string[]] {
  const { hide = [], defaults = {} } = override;
  const { unknown, missing } = findArgumentFaults(inputSchema, override);
  const check = (key: string, names: readonly string[]): CheckedPattern[] =>
    names.map(name => ({
      key: `tools.overrides.${tool}.${key}`,
      pattern: name,
      matches: !unknown.includes(name) && !missing.includes(name),
      isWithoutValue: missing.includes(name),
    }));
  const names = Object.keys(toJsonObject(inputSchema.properties));
  return [[...check('hide', hide), ...check('defaults', Object.keys(defaults))], names];
}

/**
 * Reports each pattern that applies to nothing once, because a misspelled one restricts nothing. A pattern that applied
 * to the entries of one caller is not reported when another caller sees fewer entries.
 */
export class PatternReport {
  readonly #reportError: (error: TenonError) => void;
  readonly #checked = new Set<string>();

  constructor(reportError: (error: TenonError) => void) {
    this.#reportError = reportError;
  }

  /**
   * Adds checked patterns of a server.
   *
   * @param names Names of the entries of the server.
   */
  add(server: string, patterns: readonly CheckedPattern[], names: readonly string[]): void {
    for (const { key, pattern, matches, isWithoutValue } of patterns) {
      if (!this.#markChecked([server, key, pattern])) continue;
      if (isWithoutValue) this.#reportError(createNoValueError(server, key, pattern));
      else if (!matches) this.#reportError(createNoMatchError(server, key, pattern, names));
    }
  }

  /** Reports default values of an override that the input schema of the tool refuses. Each call would fail. */
  async addDefaults(server: string, tool: string, defaults: JsonObject, inputSchema: JsonObject): Promise<void> {
    const key = `tools.overrides.${tool}.defaults`;
    if (!this.#markChecked([server, key])) return;
    const { $schema, properties, $defs, definitions } = inputSchema;
    const validator = await loadPeerSchema(dropUndefined({ $schema, properties, $defs, definitions }));
    const refusal = findRefusal(validator.check(defaults));
    if (refusal === undefined || refusal.limit !== undefined) return;
    const summary = `server ${quoteName(server)}: the tool refuses \`${key}\`: ${describeIssues(refusal.issues)}`;
    this.#reportError(new TenonError('host/invalid-default', summary, { hint: 'correct the values' }));
  }

  /** Marks a place of the configuration as checked. Returns false if it was so before. */
  #markChecked(place: readonly string[]): boolean {
    const id = JSON.stringify(place);
    if (this.#checked.has(id) || this.#checked.size >= MAX_CHECKED) return false;
    this.#checked.add(id);
    return true;
  }

  /** Checks all patterns again, because the configuration has changed. */
  clear(): void {
    this.#checked.clear();
  }
}

/** Creates the error for a hidden argument without which the server refuses calls. */
const createNoValueError = (server: string, key: string, name: string): TenonError =>
  new TenonError(
    'host/no-value',
    `server ${quoteName(server)}: ${quoteName(name)} in \`${key}\` is a required argument without a value`,
    { hint: 'add its value to `defaults`, or do not hide it' },
  );

/** Creates the error for a pattern of a configuration that applies to nothing. */
function createNoMatchError(server: string, key: string, pattern: string, names: readonly string[]): TenonError {
  const nearest = findNearestKey(pattern, names);
  return new TenonError(
    'host/no-match',
    `server ${quoteName(server)}: ${quoteName(pattern)} in \`${key}\` matches nothing that the server offers`,
    { hint: nearest === undefined ? 'correct the name, or remove it' : `did you mean ${quoteName(nearest)}?` },
  );
}
