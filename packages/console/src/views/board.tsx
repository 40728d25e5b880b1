import { useState } from 'preact/hooks';
import type { AddServerRequest, ServerView } from '../api.js';
import { hello, servers, takesCalls } from '../console-state.js';
import { formatDuration, formatSize } from '../format.js';
import { ForOperator } from '../parts/for-operator.js';
import { ServerStateView } from '../parts/server-state.js';
import { Name, Text } from '../parts/text.js';
import { callApi, describeFailure } from '../request.js';
import { navigate, toServerPath } from '../route.js';

/** Maximum number of servers whose tools are listed below them. With more, a row of a server is a single line. */
const MAX_WITH_TOOLS = 12;

/** Shows the cause of a failed connection, the finding of the doctor, and the next step. */
export function WhyNot({ server: { name, transport, error, finding } }: { readonly server: ServerView }) {
  if (!error && !finding) return null;
  // This finding says again that there is no connection, and why.
  const isOther = finding !== null && (finding.id !== 'connection.failed' || error === null);
  return (
    <div class="why">
      {error && (
        <p>
          <b>
            <Text value={error.cause} />
          </b>
          {error.fix && (
            <span class="next">
              Next: <Text value={error.fix} />
            </span>
          )}
          {transport === 'http' && error.code.startsWith('auth/') && (
            <>
              {' '}
              <a href={`${toServerPath(name)}/auth`}>See each step of the sign-in</a>
            </>
          )}
        </p>
      )}
      {finding && isOther && (
        <p>
          doctor: <Text value={finding.title} />
          {finding.seen && (
            <span class="dim">
              {' '}
              (<Text value={finding.seen} />)
            </span>
          )}
          {finding.fix && (
            <>
              {' '}
              <b>Fix:</b> <Text value={finding.fix} />
            </>
          )}
        </p>
      )}
    </div>
  );
}

/** All servers, one in each row. */
export function Board() {
  const all = [...servers.value.values()].sort((a, b) => a.name.localeCompare(b.name));
  return (
    <main class="view board">
      <h1 class="for-readers">Servers</h1>
      <ForOperator>
        <PasteBox />
      </ForOperator>
      {all.length === 0 ? (
        <p class="empty">
          No servers. Paste a URL, a command line, a path or a name above, and press <kbd>Enter</kbd>.
        </p>
      ) : (
        <table class="rows">
          <thead>
            <tr>
              <th>server</th>
              <th>state</th>
              <th>version</th>
              <th>transport</th>
              <th class="number">tools</th>
              <th class="number">tokens</th>
              <th class="number">calls</th>
              <th class="number">p50</th>
              <th class="number">p95</th>
              <th>last calls</th>
              <th class="number">errors</th>
              <th class="wide">target</th>
            </tr>
          </thead>
          <tbody>
            {all.map(server => (
              <ServerRow key={server.name} server={server} hasTools={all.length <= MAX_WITH_TOOLS} />
            ))}
          </tbody>
        </table>
      )}
    </main>
  );
}

/** The tools of a server as links, so that a call is two clicks away. */
function ToolLinks({ server: { name, toolNames, counts } }: { readonly server: ServerView }) {
  const left = (counts?.tools ?? 0) - toolNames.length;
  return (
    <tr class="tool-links">
      <td colSpan={12}>
        {toolNames.map(tool => (
          <a key={tool} class="mono" href={toServerPath(name, tool)}>
            <Name value={tool} />
          </a>
        ))}
        {left > 0 && <a href={toServerPath(name)}>{left} more</a>}
      </td>
    </tr>
  );
}

function ServerRow({ server, hasTools }: { readonly server: ServerView; readonly hasTools: boolean }) {
  const { name, info, protocolVersion, transport, counts, tokens, calls, median, p95, durations, errors, label } =
    server;
  return (
    <>
      <tr>
        <td>
          <a href={toServerPath(name)} class="strong" title={name}>
            <Text value={name} />
          </a>
          {info && info.name !== name && (
            <span class="dim">
              {' '}
              <Text value={info.title ?? info.name} />
            </span>
          )}
        </td>
        <td>
          <ServerStateView server={server} />
        </td>
        <td class="mono">{protocolVersion ?? '–'}</td>
        <td>{transport ?? '–'}</td>
        <td class="number">{counts?.tools ?? '–'}</td>
        <td class="number">{counts ? formatSize(tokens) : '–'}</td>
        <td class="number">{calls}</td>
        <td class="number">{median === null ? '–' : formatDuration(median)}</td>
        <td class="number">{p95 === null ? '–' : formatDuration(p95)}</td>
        <td>
          <Sparkline values={durations} />
        </td>
        <td class={errors > 0 ? 'number state error' : 'number'}>{errors}</td>
        <td class="mono dim wide">
          <Text value={label === name ? '' : label} />
        </td>
      </tr>
      {hasTools && takesCalls(server) && server.toolNames.length > 0 && <ToolLinks server={server} />}
      {server.state !== 'connected' && (server.error || server.finding) && (
        <tr>
          <td colSpan={12}>
            <WhyNot server={server} />
          </td>
        </tr>
      )}
    </>
  );
}

/** Durations of the last calls, from zero to the longest one. The columns beside it have the numbers. */
function Sparkline({ values }: { readonly values: readonly number[] }) {
  if (values.length < 2) return null;
  const max = Math.max(...values, 1);
  const points = values.map((value, index) => `${(index * 70) / (values.length - 1) + 1},${15 - (value / max) * 14}`);
  return (
    <svg class="sparkline" viewBox="0 0 72 16" width="72" height="16" aria-hidden="true">
      <polyline points={points.join(' ')} fill="none" stroke="currentColor" />
    </svg>
  );
}

/** Reads lines such as `Name: value` or `NAME=value`. */
function parsePairs(text: string): Record<string, string> | undefined {
  const pairs = text.split('\n').flatMap(line => {
    const [, name = '', value = ''] = /^\s*([^:=\s]+)\s*[:=]\s*(.*?)\s*$/.exec(line) ?? [];
    return name === '' ? [] : [[name, value] as const];
  });
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}

function PasteBox() {
  const [target, setTarget] = useState('');
  const [headers, setHeaders] = useState('');
  const [env, setEnv] = useState('');
  // Until the user chooses one, it is the version of the command.
  const [version, setVersion] = useState<string | null>(null);
  const [error, setError] = useState('');
  const connect = async () => {
    try {
      const body: AddServerRequest = {
        target,
        version: (version ?? hello.value?.protocolVersion) || null,
        headers: parsePairs(headers),
        env: parsePairs(env),
      };
      const { name } = await callApi<{ name: string }>('POST', 'servers', body);
      setTarget('');
      setHeaders('');
      setEnv('');
      setError('');
      navigate(toServerPath(name));
    } catch (thrown) {
      const { cause, fix } = describeFailure(thrown);
      setError(fix ? `${cause}. Next: ${fix}` : cause);
    }
  };
  return (
    <form
      class="paste"
      onSubmit={event => {
        event.preventDefault();
        void connect();
      }}
    >
      <textarea
        class="mono"
        data-focus
        aria-label="Server to connect to"
        placeholder="URL, command line, path or name of a server, or the text of an mcp.json"
        title={`Paths are relative to ${hello.value?.folder ?? 'the folder of the command'}`}
        rows={Math.min(12, target.split('\n').length)}
        spellcheck={false}
        value={target}
        onInput={event => setTarget(event.currentTarget.value)}
        onKeyDown={event => {
          if (event.key !== 'Enter' || event.shiftKey) return;
          event.preventDefault();
          if (target.trim() !== '') void connect();
        }}
      />
      <select
        aria-label="Protocol version"
        value={version ?? hello.value?.protocolVersion ?? ''}
        onChange={event => setVersion(event.currentTarget.value)}
      >
        <option value="">newest version</option>
        {hello.value?.protocolVersions.map(each => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
      <button type="submit" class="primary" disabled={target.trim() === ''}>
        Connect
      </button>
      <details>
        <summary>headers, environment</summary>
        <div class="connection">
          <label>
            headers, for a URL
            <textarea
              class="mono"
              rows={2}
              placeholder="X-Team: notes"
              spellcheck={false}
              value={headers}
              onInput={event => setHeaders(event.currentTarget.value)}
            />
          </label>
          <label>
            environment, for a program
            <textarea
              class="mono"
              rows={2}
              placeholder="API_URL=https://example.com"
              spellcheck={false}
              value={env}
              onInput={event => setEnv(event.currentTarget.value)}
            />
          </label>
        </div>
      </details>
      {error !== '' && (
        <p class="issue">
          <Text value={error} />
        </p>
      )}
    </form>
  );
}
