import { useState } from 'preact/hooks';
import type { FaultKind, FaultPlan, Json, ServerView } from '../api.js';
import { parseTypedJson } from '../json-values.js';
import { callApi } from '../request.js';
import { RequestError, useRequest } from './request-error.js';

const KINDS: Readonly<Record<FaultKind, string>> = {
  drop: 'drop',
  duplicate: 'duplicate',
  delay: 'delay',
  malformed: 'malform',
  cut: 'cut the connection before',
  replace: 'replace the result of',
};
const PLACES: Readonly<Record<FaultPlan['on'], string>> = {
  request: 'the request',
  response: 'the response',
  notifications: 'notifications',
};

/** Plans a fault of the calls of a server. */
export function FaultForm({ server, path }: { readonly server: ServerView; readonly path: string }) {
  const [kind, setKind] = useState<FaultKind>('cut');
  const [on, setOn] = useState<FaultPlan['on']>('response');
  const [repeat, setRepeat] = useState(false);
  const [seconds, setSeconds] = useState('2');
  const [result, setResult] = useState('{ "content": [] }');
  const [error, run] = useRequest();
  const { fault } = server;
  const plan = () =>
    run(async () => {
      const place = kind === 'replace' ? 'response' : on;
      await callApi('POST', `${path}/faults`, {
        kind,
        on: place,
        repeat,
        ...(kind === 'delay' ? { ms: Number(seconds) * 1000 } : {}),
        ...(kind === 'replace' ? { result: parseTypedJson(result) as Json } : {}),
      });
    });
  // In the form of a tool, Enter in a field would call the tool without the fault.
  const planOnEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    void plan();
  };
  return (
    <section class="faults">
      <h2>break calls</h2>
      <div class="actions">
        <label>
          fault{' '}
          <select value={kind} onChange={event => setKind(event.currentTarget.value as FaultKind)}>
            {Object.entries(KINDS).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
        {kind !== 'replace' && (
          <label>
            of{' '}
            <select value={on} onChange={event => setOn(event.currentTarget.value as FaultPlan['on'])}>
              {Object.entries(PLACES).map(([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          </label>
        )}
        {kind === 'delay' && (
          <label>
            seconds{' '}
            <input
              class="short"
              inputMode="decimal"
              value={seconds}
              onKeyDown={planOnEnter}
              onInput={event => setSeconds(event.currentTarget.value)}
            />
          </label>
        )}
        {kind === 'replace' && (
          <label>
            result{' '}
            <input
              class="mono"
              value={result}
              onKeyDown={planOnEnter}
              onInput={event => setResult(event.currentTarget.value)}
            />
          </label>
        )}
        <label>
          <input type="checkbox" checked={repeat} onChange={event => setRepeat(event.currentTarget.checked)} /> each
          call
        </label>
        <button type="button" onClick={() => void plan()}>
          {repeat ? 'Break each call' : 'Break the next call'}
        </button>
      </div>
      <p role="status">
        {fault && (
          <>
            <span class="state waiting">
              planned: {KINDS[fault.kind]} {PLACES[fault.on]}, {fault.repeat ? 'each call' : 'next call'}
            </span>{' '}
            <button
              type="button"
              onClick={() => void run(async () => void (await callApi('POST', `${path}/faults`, { kind: null })))}
            >
              Remove
            </button>
          </>
        )}
      </p>
      <RequestError error={error} />
    </section>
  );
}
