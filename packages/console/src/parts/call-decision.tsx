import { useEffect, useState } from 'preact/hooks';
import type { ExplanationView } from '../api.js';
import { callApi } from '../request.js';
import { Explanation, PolicyActionView } from './explanation.js';
import { Text } from './text.js';

/** The decision of the gateway about a call of the page, with the rule and the reason. Nothing without a decision. */
export function CallDecision({ call }: { readonly call: number }) {
  const [explained, setExplained] = useState<ExplanationView | null>(null);
  useEffect(() => {
    setExplained(null);
    let isCurrent = true;
    callApi<ExplanationView>('GET', `policy/explain?call=${call}`).then(
      read => {
        if (isCurrent) setExplained(read);
      },
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [call]);
  if (!explained?.decision) return null;
  const { decision, explanation } = explained;
  return (
    <details class="decision" open={decision.action !== 'allow'}>
      <summary>
        <PolicyActionView action={decision.action} />{' '}
        <span class="dim">
          <Text value={decision.reason} />
        </span>
      </summary>
      <Explanation text={explanation} />
      <a href={`/gateway/policy?decision=${decision.id}`}>change the policy</a>
    </details>
  );
}
