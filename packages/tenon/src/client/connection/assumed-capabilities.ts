import type { AssumableCapability, ServerCapabilities } from '../../protocol/capabilities.js';

/** Adds the capabilities that the user assumes to those that the server declares. */
export function addAssumedCapabilities(
  declared: ServerCapabilities,
  assumed: readonly AssumableCapability[] = [],
): ServerCapabilities {
  const capabilities = { ...declared };
  for (const name of assumed)
    if (name === 'resources.subscribe') capabilities.resources = { ...capabilities.resources, subscribe: true };
    else capabilities[name] ??= {};
  return capabilities;
}
