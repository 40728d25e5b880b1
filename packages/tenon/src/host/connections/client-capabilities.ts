import type { ClientCapabilities } from '../../protocol/capabilities.js';
import type { ConnectionOptions } from './connection-options.js';
import type { SupportedInput } from './connection-scope.js';

/** Declares the kinds of questions that a server may ask: of its callers, and of the host where that answers itself. */
export function declareCapabilities(
  { form, url, sample, sampleTools, roots }: SupportedInput,
  options: Pick<ConnectionOptions, 'hasBroker' | 'roots'>,
): ClientCapabilities {
  const { hasBroker } = options;
  return {
    ...(form || url ? { elicitation: { ...(form ? { form: {} } : {}), ...(url ? { url: {} } : {}) } } : {}),
    ...(sample || hasBroker ? { sampling: sampleTools || hasBroker ? { tools: {} } : {} } : {}),
    ...(roots || options.roots ? { roots: {} } : {}),
  };
}
