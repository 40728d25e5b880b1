/** Mapping of tool names to names that all model providers accept. */
export interface ToolNames {
  /** Returns the provider name of a tool. */
  toProvider(name: string): string;
  /** Returns the tool name of a provider name, or `undefined` if there is none. */
  toOriginal(providerName: string): string | undefined;
}

const MAX_NAME = 64;
const VALID_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/**
 * Maps tool names to unique provider names. These have at most 64 characters of `[A-Za-z0-9_-]`, and begin with a
 * letter or `_`. A valid name stays unchanged.
 *
 * The mapping is deterministic.
 */
export function createToolNames(names: readonly string[]): ToolNames {
  const toProvider = new Map<string, string>();
  const toOriginal = new Map<string, string>();
  const valid = names.filter(name => VALID_NAME.test(name));
  for (const name of [...valid, ...names]) {
    if (toProvider.has(name)) continue;
    const providerName = makeUnique(name, toOriginal);
    toProvider.set(name, providerName);
    toOriginal.set(providerName, name);
  }
  return { toProvider: name => toProvider.get(name) ?? makeValid(name), toOriginal: name => toOriginal.get(name) };
}

function makeUnique(name: string, used: ReadonlyMap<string, string>): string {
  let unique = makeValid(name);
  for (let count = 2; used.has(unique); count += 1) unique = makeValid(name, `_${count}`);
  return unique;
}

function makeValid(name: string, suffix = ''): string {
  const valid = name.replace(/[^A-Za-z0-9_-]/g, '_').replace(/^(?![A-Za-z_])/, '_');
  return valid.slice(0, MAX_NAME - suffix.length) + suffix;
}
