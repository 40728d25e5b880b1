import type { SealKey } from '../encoding/seal.js';
import type { TenonError } from '../errors/error.js';
import { isObject } from '../json/json-object.js';
import type { Stores } from './stores.js';

/** Defaults for the servers that this process creates from then on. The definition of a server comes first. */
export interface ServerDefaults {
  /** Stores of servers without `stores`. The caller closes them. */
  readonly stores?: Stores | undefined;
  /** Keys of servers without `inputRequests.keys`. Replicas need the same ones. */
  readonly keys?: readonly SealKey[] | undefined;
  /** Called with errors that no caller receives, for servers without `onError`. */
  readonly onError?: ((error: TenonError) => void) | undefined;
  /** Called with the errors of servers that have their own `onError`, before that function. */
  readonly onOwnError?: ((error: TenonError) => void) | undefined;
  /** Telemetry of servers without `telemetry`. */
  readonly telemetry?: unknown;
}

/** Several copies of this package may be loaded: one by the command, and one by the program. */
const DEFAULTS = Symbol.for('tenon.server-defaults');

/**
 * Sets defaults for the servers that this process creates from then on, so that a program which loads the module of a
 * server can choose its stores. `tenon serve --store` uses it.
 */
export function setServerDefaults(defaults: ServerDefaults): void {
  (globalThis as { [DEFAULTS]?: ServerDefaults })[DEFAULTS] = defaults;
}

interface DefaultedDefinition {
  readonly stores?: Stores | undefined;
  readonly inputRequests?: { readonly keys?: readonly SealKey[] | undefined } | undefined;
  readonly onError?: ((error: TenonError) => void) | undefined;
  readonly telemetry?: unknown;
}

/** Adds the defaults of this process to the definition of a server. A wrong definition is left to the check of the server. */
export function withServerDefaults<T extends DefaultedDefinition>(definition: T): T {
  const defaults = (globalThis as { [DEFAULTS]?: ServerDefaults })[DEFAULTS];
  if (defaults === undefined || !isObject(definition)) return definition;
  const { keys } = defaults;
  return {
    ...definition,
    stores: definition.stores ?? defaults.stores,
    onError: definition.onError ? observeErrors(definition.onError, defaults.onOwnError) : defaults.onError,
    telemetry: definition.telemetry ?? defaults.telemetry,
    inputRequests: { ...(keys && { keys }), ...definition.inputRequests },
  };
}

/** Adds a listener before that of the server. */
function observeErrors(
  own: NonNullable<ServerDefaults['onError']>,
  observe: ServerDefaults['onOwnError'],
): NonNullable<ServerDefaults['onError']> {
  if (observe === undefined) return own;
  return error => {
    observe(error);
    own(error);
  };
}
