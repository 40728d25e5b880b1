import type { AskInput } from '@tenon/host';
import type { CliContext } from '../cli-context.js';

/** Value of variables and inputs that are not known. */
const PLACEHOLDER = 'unknown';

/** Returns a value for an input without asking the user. */
export const getPlaceholder: AskInput = input => input.options?.[0] ?? PLACEHOLDER;

/** Returns an environment in which variables that are not set have a placeholder. */
export function createPlaceholderEnv(env: CliContext['env']): CliContext['env'] {
  const descriptor = { value: PLACEHOLDER, configurable: true, enumerable: true, writable: true };
  return new Proxy(
    { ...env },
    {
      get: (target, name) => Reflect.get(target, name) ?? PLACEHOLDER,
      getOwnPropertyDescriptor: (target, name) => Reflect.getOwnPropertyDescriptor(target, name) ?? descriptor,
    },
  );
}
