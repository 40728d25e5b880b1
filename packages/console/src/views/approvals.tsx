import { encodePathPart } from '@tenon/base';
import { useRef, useState } from 'preact/hooks';
import type { ApprovalDecision, CallerView, PendingApprovalView, RememberedApprovalView, ToolHint } from '../api.js';
import { approvals, canChange } from '../console-state.js';
import { formatCount } from '../format.js';
import { describeCaller } from '../parts/caller.js';
import { RequestError, useRequest } from '../parts/request-error.js';
import { Text } from '../parts/text.js';
import { TimeLeft } from '../parts/time-left.js';
import { callApi } from '../request.js';

const DESTRUCTIVE: ToolHint = 'may destroy data';

const toApprovalApi = (id: string): string => `approvals/${encodePathPart(id)}`;

const isSameCaller = (a: CallerView, b: CallerView): boolean =>
  a.principal === b.principal && a.clientId === b.clientId;

/** Actions of all callers of the gateway that wait for a decision, and the approvals that apply to later calls. */
export function ApprovalsPage() {
  const view = approvals.value;
  return (
    <main class="view pane gateway">
      <h1>Approvals</h1>
      {view?.error && <RequestError error={view.error.cause} />}
      {view && !view.error && view.pending.length === 0 && (
        <p class="empty">No call waits for a decision. A rule of the policy with the action ask makes calls wait.</p>
      )}
      {view?.pending.map(approval => (
        <PendingApproval key={approval.id} approval={approval} remembered={view.remembered} />
      ))}
      {view && view.count > view.pending.length && (
        <p class="dim">{formatCount(view.count - view.pending.length, 'more pending approval')} after these</p>
      )}
      {view && view.remembered.length > 0 && <RememberedApprovals remembered={view.remembered} />}
    </main>
  );
}

interface PendingProps {
  readonly approval: PendingApprovalView;
  readonly remembered: readonly RememberedApprovalView[];
}

function PendingApproval({ approval, remembered }: PendingProps) {
  const { id, kind, server, name, caller, reason, description, hints, expiresAt } = approval;
  const [error, run] = useRequest();
  const [isBusy, setBusy] = useState(false);
  const scope = useRef<HTMLSelectElement>(null);
  const earlier = remembered.filter(
    each => each.server === server && each.name === name && isSameCaller(each.caller, caller),
  );
  const decide = async (decision: ApprovalDecision['decision']) => {
    const chosen = scope.current?.value;
    const remember = decision === 'allow' && (chosen === 'exact' || chosen === 'always') ? chosen : undefined;
    setBusy(true);
    await run(async () => {
      await callApi('POST', toApprovalApi(id), { decision, remember } satisfies ApprovalDecision);
    });
    setBusy(false);
  };
  return (
    <form
      class="input-form"
      aria-label={`${kind} ${name} of ${server}`}
      onSubmit={event => {
        event.preventDefault();
        void decide('allow');
      }}
    >
      <div class="input-head">
        <span class="state waiting">{kind}</span>
        <b class="mono">
          <Text value={name} />
        </b>
        <span>
          of <Text value={server} />
        </span>
        <span class="dim">
          for <TimeLeft end={expiresAt} /> more, then denied
        </span>
      </div>
      <dl>
        <dt>caller</dt>
        <dd>
          <Text value={describeCaller(caller)} />
        </dd>
        {reason !== undefined && (
          <>
            <dt>why</dt>
            <dd>
              <Text value={reason} />
            </dd>
          </>
        )}
        {description !== undefined && (
          <>
            <dt>does</dt>
            <dd>
              <Text value={description} />
            </dd>
          </>
        )}
        {hints.length > 0 && (
          <>
            <dt>declared</dt>
            <dd class={hints.includes(DESTRUCTIVE) ? 'state error' : undefined}>{hints.join(', ')}</dd>
          </>
        )}
        <dt>before</dt>
        <dd>
          {earlier.length === 0
            ? 'nothing is remembered for this caller'
            : earlier.map(each => (
                <div key={each.id}>
                  approved <Text value={each.scope} />, {new Date(each.rememberedAt).toLocaleString()}
                </div>
              ))}
        </dd>
      </dl>
      <pre class="text">
        <Text value={approval.arguments} />
        {approval.isCut && '…'}
      </pre>
      <RequestError error={error} />
      {canChange.value && (
        <div class="actions">
          <button type="submit" class="primary" disabled={isBusy}>
            Allow
          </button>
          <select ref={scope} aria-label="Calls to allow">
            <option value="once">this call</option>
            <option value="exact">these arguments, for 30 days</option>
            <option value="always">any arguments, for 30 days</option>
          </select>
          <button type="button" disabled={isBusy} onClick={() => void decide('deny')}>
            Deny
          </button>
        </div>
      )}
    </form>
  );
}

function RememberedApprovals({ remembered }: { readonly remembered: readonly RememberedApprovalView[] }) {
  const [error, run] = useRequest();
  return (
    <section aria-label="Remembered approvals">
      <h2>Remembered</h2>
      <RequestError error={error} />
      <table class="rows">
        <thead>
          <tr>
            <th>action</th>
            <th>caller</th>
            <th>arguments</th>
            <th>since</th>
            <th>until</th>
            {canChange.value && <th>change</th>}
          </tr>
        </thead>
        <tbody>
          {remembered.map(({ id, kind, server, name, caller, scope, rememberedAt, expiresAt }) => (
            <tr key={id}>
              <td class="named">
                <Text value={name ?? `${kind}s`} />{' '}
                <span class="dim">
                  of <Text value={server} />
                </span>
              </td>
              <td>
                <Text value={describeCaller(caller)} />
              </td>
              <td data-label="arguments">
                <Text value={scope} />
              </td>
              <td data-label="since">{new Date(rememberedAt).toLocaleString()}</td>
              <td data-label="until">{expiresAt === undefined ? 'revoked' : new Date(expiresAt).toLocaleString()}</td>
              {canChange.value && (
                <td>
                  <button
                    type="button"
                    aria-label={`Revoke the approval of ${name ?? kind}`}
                    onClick={() =>
                      void run(async () => {
                        await callApi('DELETE', toApprovalApi(id));
                      })
                    }
                  >
                    Revoke
                  </button>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
