import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { hello } from '../console-state.js';

/** The decision of the gateway about a call. Its code is loaded for a gateway only. */
export function LazyDecision({ call }: { readonly call: number }) {
  const [Decision, setDecision] = useState<ComponentType<{ readonly call: number }> | null>(null);
  const isGateway = hello.value?.isGateway === true;
  useEffect(() => {
    if (isGateway) void import('./call-decision.js').then(({ CallDecision }) => setDecision(() => CallDecision));
  }, [isGateway]);
  return Decision && <Decision call={call} />;
}
