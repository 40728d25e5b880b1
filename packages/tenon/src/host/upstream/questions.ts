import type { ClientCapabilities } from '../../model/capabilities.js';
import type { Asks } from '../audience.js';
import type { LineFacts } from './line-facts.js';

/** Declares the kinds of questions that a server may ask: of its callers, and of the host where that answers itself. */
export function declareCapabilities(
  { form, url, sample, sampleTools, roots }: Asks,
  facts: Pick<LineFacts, 'brokers' | 'roots'>,
): ClientCapabilities {
  const { brokers } = facts;
  return {
    ...(form || url ? { elicitation: { ...(form ? { form: {} } : {}), ...(url ? { url: {} } : {}) } } : {}),
    ...(sample || brokers ? { sampling: sampleTools || brokers ? { tools: {} } : {} } : {}),
    ...(roots || facts.roots ? { roots: {} } : {}),
  };
}
