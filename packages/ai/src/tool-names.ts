/** Names of tools as all model providers accept them. */
export interface ToolNames {
  /** Returns the name for the provider. */
  toProvider(name: string): string;
  /** Returns the name that a name for the provider stands for, or `undefined` if there is none. */
  toOriginal(providerName: string): string | undefined;
}

const MAX_NAME = 64;
const VALID_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/**
 * Maps names of tools to valid and unique ones: at most 64 characters of `[A-Za-z0-9_-]`, the first a letter or `_`. A valid name stays
 * as it is. The same list gives the same names.
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
