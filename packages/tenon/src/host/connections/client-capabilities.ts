import type { ClientCapabilities } from '../../protocol/capabilities.js';
import type { ConnectionOptions } from './connection-options.js';
import type { SupportedInput } from './connection-scope.js';

/** Declares the input requests that a server may send: those that its callers or the host itself support. */
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
