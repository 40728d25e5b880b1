import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { CallView, ErrorView, RecordedSession } from '../api.js';
import { openRequests, recordings, servers, shownRecording, showRecording } from '../console-state.js';
import { formatCount, formatDuration, formatTime } from '../format.js';
import { CallPanel } from '../parts/call-panel.js';
import { InputForm } from '../parts/input-form.js';
import { ScrubBar } from '../parts/scrub-bar.js';
import { Text } from '../parts/text.js';
import { callApi, describeFailure } from '../request.js';
import { navigate } from '../route.js';
import { WirePage } from './wire.js';

/** A recording: all its messages, with a bar to move along its time. */
export function RecordingPage({ name }: { readonly name: string }) {
  const [problem, setProblem] = useState<ErrorView | null>(null);
  useEffect(() => {
    let isCurrent = true;
    callApi<RecordedSession>('GET', `recordings/${encodeURIComponent(name)}`).then(
      session => {
        if (isCurrent) showRecording(session);
      },
      thrown => {
        if (isCurrent) setProblem(describeFailure(thrown));
      },
    );
    return () => {
      isCurrent = false;
      showRecording(null);
    };
  }, [name]);
  const session = shownRecording.value;
  if (problem || session?.recording.name !== name)
    return (
      <main class="view">
        <p class="empty">
          {problem ? <Text value={`${problem.cause} ${problem.fix ?? ''}`} /> : '…'}{' '}
          <a href="/recordings">Recordings</a>
        </p>
      </main>
    );
  return <WirePage top={<RecordingHead session={session} />} renderCall={id => <RecordedCall id={id} />} />;
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
  return <CallPanel call={call} actions={<ReplayCall call={call} recording={session.recording.name} />} />;
}

function ReplayCall({ call, recording }: { readonly call: CallView; readonly recording: string }) {
  const connected = [...servers.value.values()].filter(({ state }) => state === 'connected');
  const same = connected.find(({ name }) => name === call.server) ?? connected[0];
  const [chosen, setChosen] = useState('');
  const [problem, setProblem] = useState('');
  const server = chosen || same?.name || '';
  const replay = async () => {
    try {
      const path = `recordings/${encodeURIComponent(recording)}/replay`;
      const started = await callApi<CallView>('POST', path, { call: call.id, server });
      navigate(`/call/${started.id}`);
    } catch (thrown) {
      const { cause, fix = '' } = describeFailure(thrown);
      setProblem(`${cause}. ${fix}`);
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
      {problem !== '' && (
        <p class="issue">
          <Text value={problem} />
        </p>
      )}
      {approvals.map(request => (
        <InputForm key={request.id} request={request} />
      ))}
    </>
  );
}

/** Opens a file that the user has dropped on the page. */
export async function dropRecording(file: File): Promise<void> {
  try {
    navigate(`/recordings/${encodeURIComponent(await openRecording(file))}`);
  } catch (thrown) {
    dropFailure.value = describeFailure(thrown).cause;
    navigate('/recordings');
  }
}

/** Reason for which a dropped file was not opened. */
const dropFailure = signal('');

/** All open recordings, and the field to open one. */
export function RecordingsPage() {
  const all = [...recordings.value.values()];
  const [problem, setProblem] = useState(dropFailure.value);
  const open = async (file: File | undefined) => {
    if (!file) return;
    try {
      navigate(`/recordings/${encodeURIComponent(await openRecording(file))}`);
    } catch (thrown) {
      setProblem(describeFailure(thrown).cause);
    }
  };
  return (
    <main class="view board">
      <h1 class="for-readers">Recordings</h1>
      <div class="paste">
        <label>
          Open a recording{' '}
          <input
            type="file"
            data-focus
            accept=".ndjson,.jsonl"
            onChange={event => void open(event.currentTarget.files?.[0])}
          />
        </label>
        <span class="dim">or drop it anywhere on the page</span>
        {problem !== '' && (
          <p class="issue">
            <Text value={problem} />
          </p>
        )}
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
                  <a class="strong" href={`/recordings/${encodeURIComponent(name)}`}>
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

/** Opens a file in the command, and returns the name of the recording. */
async function openRecording(file: File): Promise<string> {
  const text = await file.text();
  const { name } = await callApi<{ readonly name: string }>('POST', 'recordings/open', { name: file.name, text });
  return name;
}
