import { useEffect, useState } from 'preact/hooks';
import type { DriftView, LockView } from '../api.js';
import { canChange } from '../console-state.js';
import { formatCount } from '../format.js';
import { DriftLines, toPlainTitle } from '../parts/drift-lines.js';
import { GatewayTabs } from '../parts/gateway-tabs.js';
import { Icon } from '../parts/icons.js';
import { RequestError, useRequest } from '../parts/request-error.js';
import { Text } from '../parts/text.js';
import { callApi } from '../request.js';

/** The changes of the servers of a gateway against its lock, each with its difference, and accepted one by one. */
export function LockPage() {
  const [lock, setLock] = useState<LockView | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [error, run] = useRequest();
  const work = async (request: () => Promise<LockView>) => {
    setBusy(true);
    await run(async () => setLock(await request()));
    setBusy(false);
  };
  const read = () => work(() => callApi<LockView>('GET', 'lock'));
  useEffect(() => void read(), []);
  const accept = ({ id }: DriftView) => void work(() => callApi<LockView>('POST', 'lock/accept', { ids: [id] }));
  return (
    <main class="view pane gateway">
      <GatewayTabs current="lock" />
      <RequestError error={error || (lock?.error?.cause ?? '')} />
      {!lock && error === '' && <p class="dim">Reading the definitions of all servers…</p>}
      {lock?.file === null && (
        <p class="empty">
          This gateway has no lock, so servers may change their tools unnoticed. Run <code>tenon lock</code>, and start
          it again.
        </p>
      )}
      {lock && lock.file !== null && (
        <>
          <div class="actions">
            <span class="dim places" role="status">
              <Text value={lock.file} /> ·{' '}
              {lock.count === 0 ? 'no server has changed' : formatCount(lock.count, 'change')}
            </span>
            <button type="button" data-focus disabled={isBusy} onClick={() => void read()}>
              Read again
            </button>
          </div>
          {lock.unavailable.map(({ server, reason }) => (
            <p key={server} class="issue">
              <Text value={`${server} cannot be read: ${reason}`} />
            </p>
          ))}
          {lock.drifts.map(drift => (
            <DriftRow key={drift.id} drift={drift} isBusy={isBusy} onAccept={() => accept(drift)} />
          ))}
          {lock.count > lock.drifts.length && (
            <p class="dim">{formatCount(lock.count - lock.drifts.length, 'more change')} after these</p>
          )}
        </>
      )}
    </main>
  );
}

interface DriftRowProps {
  readonly drift: DriftView;
  readonly isBusy: boolean;
  readonly onAccept: () => void;
}

function DriftRow({ drift, isBusy, onAccept }: DriftRowProps) {
  const { title, severity, lines, isAcceptable } = drift;
  const isBlocked = severity === 'approve';
  const plain = toPlainTitle(title);
  return (
    <section class="drift" aria-label={plain}>
      <header>
        <span class={`state ${isBlocked ? 'refused' : 'none'}`}>
          <Icon name={isBlocked ? 'refused' : 'none'} /> {isBlocked ? 'blocked' : 'note'}
        </span>
        <b>
          <Text value={plain} />
        </b>
        {canChange.value && isAcceptable && (
          <button type="button" aria-label={`Accept ${plain}`} disabled={isBusy} onClick={onAccept}>
            Accept
          </button>
        )}
        {!isAcceptable && <span class="dim">correct the server, or run tenon lock</span>}
      </header>
      <DriftLines lines={lines} />
    </section>
  );
}
