import { signal } from '@preact/signals';
import { encodePathPart } from '@tenon/base';
import { useEffect, useState } from 'preact/hooks';
import type { CallView, ErrorView, OpenRecordingRequest, RecordedSession } from '../api.js';
import { openRequests, recordings, servers, shownRecording, showRecording, takesCalls } from '../console-state.js';
import { formatCount, formatDuration, formatTime } from '../format.js';
import { CallPanel } from '../parts/call-panel.js';
import { ForOperator } from '../parts/for-operator.js';
import { InputForm } from '../parts/input-form.js';
import { RequestError } from '../parts/request-error.js';
import { ScrubBar } from '../parts/scrub-bar.js';
import { Text } from '../parts/text.js';
import { callApi, describeFailure, formatError } from '../request.js';
import { navigate, toRecordingPath } from '../route.js';
import { WirePage } from './wire.js';

/** A recording: all its messages, with a bar to move along its time. */
export function RecordingPage({ name }: { readonly name: string }) {
  const [error, setError] = useState<ErrorView | null>(null);
  useEffect(() => {
    let isCurrent = true;
    readRecording(name).then(
      session => {
        if (isCurrent) showRecording(session);
      },
      thrown => {
        if (isCurrent) setError(describeFailure(thrown));
      },
    );
    return () => {
      isCurrent = false;
      showRecording(null);
    };
  }, [name]);
  const session = shownRecording.value;
  if (error || session?.recording.name !== name)
    return (
      <main class="view">
        <p class="empty">
          {error ? <Text value={formatError(error)} /> : '…'} <a href="/recordings">Recordings</a>
        </p>
      </main>
    );
  return <WirePage top={<RecordingHead session={session} />} renderCall={id => <RecordedCall id={id} />} />;
}

/** Reads a recording in pieces, so that a long one does not keep the page from its work. */
async function readRecording(name: string): Promise<RecordedSession> {
  const path = `recordings/${encodePathPart(name)}`;
  let session = await callApi<RecordedSession>('GET', path);
  const rows = [...session.rows];
  const calls = new Map(session.calls.map(call => [call.id, call]));
  while (session.rows.length > 0 && rows.length < session.recording.messages) {
    session = await callApi<RecordedSession>('GET', `${path}?after=${rows.at(-1)?.seq ?? 0}`);
    rows.push(...session.rows);
    for (const call of session.calls) calls.set(call.id, call);
  }
  return { recording: session.recording, rows, calls: [...calls.values()] };
}

function RecordingHead({ session: { recording, rows } }: { readonly session: RecordedSession }) {
  const { name, messages, calls, startedAt, endedAt, isTruncated } = recording;
  return (
    <header class="recording-head">
      <h1 class="mono">
        <a href="/recordings">recordings</a> / <Text value={name} />
      </h1>
      <span class="dim">
        {formatCount(messages, 'message')} · {formatCount(calls, 'call')} · {new Date(startedAt).toLocaleDateString()}{' '}
        {formatTime(startedAt)} · {formatDuration(endedAt - startedAt)}
        {isTruncated ? ' · cut off' : ''}
      </span>
      <ScrubBar rows={rows} />
    </header>
  );
}

/** A recorded call, which can be sent to a server that is connected now. */
function RecordedCall({ id }: { readonly id: number }) {
  const session = shownRecording.value;
  const call = session?.calls.find(each => each.id === id);
  if (!session || !call) return null;
  return (
    <CallPanel
      call={call}
      actions={
        <ForOperator>
          <ReplayCall call={call} recording={session.recording.name} />
        </ForOperator>
      }
    />
  );
}

function ReplayCall({ call, recording }: { readonly call: CallView; readonly recording: string }) {
  const connected = [...servers.value.values()].filter(takesCalls);
  const same = connected.find(({ name }) => name === call.server) ?? connected[0];
  const [chosen, setChosen] = useState('');
  const [error, setError] = useState('');
  const server = chosen || same?.name || '';
  const replay = async () => {
    try {
      const path = `recordings/${encodePathPart(recording)}/replay`;
      const started = await callApi<CallView>('POST', path, { call: call.id, server });
      navigate(`/call/${started.id}`);
    } catch (thrown) {
      setError(formatError(describeFailure(thrown)));
    }
  };
  if (connected.length === 0) return <span class="dim">connect a server to replay it</span>;
  const approvals = openRequests.value.filter(each => each.kind === 'approval' && each.server === server);
  return (
    <>
      <select
        aria-label="Server for the replay"
        value={server}
        onChange={event => setChosen(event.currentTarget.value)}
      >
        {connected.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <button type="button" onClick={() => void replay()}>
        Replay
      </button>
      <RequestError error={error} />
      {approvals.map(request => (
        <InputForm key={request.id} request={request} />
      ))}
    </>
  );
}

/** Reason for which the last file was not opened. */
const openError = signal('');

/** Opens a file that the user has chosen, or dropped on any view, and shows its recording. */
export async function openRecording(file: File): Promise<void> {
  try {
    const body: OpenRecordingRequest = { name: file.name, text: await file.text() };
    const { name } = await callApi<{ readonly name: string }>('POST', 'recordings/open', body);
    openError.value = '';
    navigate(toRecordingPath(name));
  } catch (thrown) {
    openError.value = describeFailure(thrown).cause;
    navigate('/recordings');
  }
}

/** All open recordings, and the field to open one. */
export function RecordingsPage() {
  const all = [...recordings.value.values()];
  // The next visit begins without it.
  useEffect(
    () => () => {
      openError.value = '';
    },
    [],
  );
  return (
    <main class="view board">
      <h1 class="for-readers">Recordings</h1>
      <div class="paste">
        <ForOperator>
          <label>
            Open a recording{' '}
            <input
              type="file"
              data-focus
              accept=".ndjson,.jsonl"
              onChange={event => {
                const file = event.currentTarget.files?.[0];
                if (file) void openRecording(file);
              }}
            />
          </label>
          <span class="dim">or drop it anywhere on the page</span>
        </ForOperator>
        <RequestError error={openError.value} />
      </div>
      {all.length === 0 ? (
        <p class="empty">
          No recordings. Press <kbd>e</kbd> in <a href="/wire">Wire</a> to export its messages, or run tenon record.
        </p>
      ) : (
        <table class="rows">
          <thead>
            <tr>
              <th>recording</th>
              <th class="number">messages</th>
              <th class="number">calls</th>
              <th>started</th>
              <th class="wide">servers</th>
            </tr>
          </thead>
          <tbody>
            {all.map(({ name, messages, calls, startedAt, servers: names }) => (
              <tr key={name}>
                <td>
                  <a class="strong" href={toRecordingPath(name)}>
                    <Text value={name} />
                  </a>
                </td>
                <td class="number">{messages.toLocaleString('en')}</td>
                <td class="number">{calls}</td>
                <td>{new Date(startedAt).toLocaleString()}</td>
                <td class="wide">
                  <Text value={names.join(', ')} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </main>
  );
}
