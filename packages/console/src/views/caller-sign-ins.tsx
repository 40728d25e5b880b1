import { useEffect, useState } from 'preact/hooks';
import type { CallerSignInsView, CallerSignInView } from '../api.js';
import { describeCaller } from '../parts/caller.js';
import { Confirmation } from '../parts/confirmation.js';
import { RequestError, useRequest } from '../parts/request-error.js';
import { Text } from '../parts/text.js';
import { callApi } from '../request.js';

/** Sign-ins of the callers of the gateway, which the operator can revoke. */
export function CallerSignIns() {
  const [all, setAll] = useState<CallerSignInsView['signIns'] | undefined>(undefined);
  const [asked, setAsked] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [error, run] = useRequest();
  const [readError, runRead] = useRequest();
  const read = () => runRead(async () => setAll((await callApi<CallerSignInsView>('GET', 'callers')).signIns));
  useEffect(() => void read(), []);
  const revoke = async (id: string) => {
    setAsked('');
    setBusy(true);
    await run(async () => {
      await callApi('DELETE', `callers/${id}`);
    });
    // Also after an error: the tokens are deleted here if the authorization server cannot be reached.
    await read();
    setBusy(false);
  };
  return (
    <section aria-label="Sign-ins of callers" class="gateway">
      <h2>Sign-ins of callers</h2>
      <RequestError error={error || readError} />
      {all === null && <p class="dim">Callers do not sign in at the servers of this gateway.</p>}
      {all?.length === 0 && <p class="dim">No caller is signed in to a server.</p>}
      {all && all.length > 0 && (
        <table class="rows">
          <thead>
            <tr>
              <th>caller</th>
              <th>server</th>
              <th class="wide">URL</th>
              <th>client</th>
              <th>change</th>
            </tr>
          </thead>
          <tbody>
            {all.map(signIn => (
              <SignInRow
                key={signIn.id}
                signIn={signIn}
                isAsked={asked === signIn.id}
                isBusy={isBusy}
                onAsk={id => setAsked(id)}
                onRevoke={() => void revoke(signIn.id)}
              />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

interface SignInRowProps {
  readonly signIn: CallerSignInView;
  readonly isAsked: boolean;
  readonly isBusy: boolean;
  /** Gets the id of the sign-in about which the page asks. Empty: none. */
  readonly onAsk: (id: string) => void;
  readonly onRevoke: () => void;
}

function SignInRow({ signIn, isAsked, isBusy, onAsk, onRevoke }: SignInRowProps) {
  const { id, caller, server, url, clientId } = signIn;
  const name = caller.principal === undefined ? 'an unknown caller' : describeCaller(caller);
  return (
    <tr>
      <td>
        <Text value={name} />
      </td>
      <td data-label="server">
        <Text value={server} />
      </td>
      <td class="wide mono">
        <Text value={url} />
      </td>
      <td data-label="client">
        <Text value={clientId ?? 'registered itself'} />
      </td>
      <td>
        {isAsked ? (
          <Confirmation
            label={`Revoke the sign-in of ${name} at ${server}?`}
            action="Revoke"
            refusal="Keep"
            onConfirm={onRevoke}
            onRefuse={() => onAsk('')}
          >
            <Text value={name} /> must sign in again.
          </Confirmation>
        ) : (
          <button
            type="button"
            disabled={isBusy}
            aria-label={`Revoke the sign-in of ${name} at ${server}`}
            onClick={() => onAsk(id)}
          >
            Revoke
          </button>
        )}
      </td>
    </tr>
  );
}
