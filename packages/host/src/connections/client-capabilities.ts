import type { ClientCapabilities, Root } from 'tenon';
import type { SupportedInput } from './connection-scope.js';

/** Declares the input requests that a server may send: those that its callers or the host itself support. */
export function declareCapabilities(
  { form, url, sample, sampleTools, roots }: SupportedInput,
  { hasBroker, roots: configuredRoots }: { readonly hasBroker: boolean; readonly roots?: readonly Root[] | undefined },
): ClientCapabilities {
  return {
    ...(form || url ? { elicitation: { ...(form ? { form: {} } : {}), ...(url ? { url: {} } : {}) } } : {}),
    ...(sample || hasBroker ? { sampling: sampleTools || hasBroker ? { tools: {} } : {} } : {}),
    ...(roots || configuredRoots ? { roots: {} } : {}),
  };
}
