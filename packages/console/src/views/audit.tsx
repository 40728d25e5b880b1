import { useEffect, useState } from 'preact/hooks';
import type { AuditEntryView, AuditVerificationView, AuditView } from '../api.js';
import { formatCount, formatDuration } from '../format.js';
import { describeCaller } from '../parts/caller.js';
import { GatewayTabs } from '../parts/gateway-tabs.js';
import { Icon, type IconName } from '../parts/icons.js';
import { RequestError, useRequest } from '../parts/request-error.js';
import { Text } from '../parts/text.js';
import { callApi } from '../request.js';
import { route, setQuery } from '../route.js';

/** Actions of entries, with their drawings. Others have none. */
const ICONS: Readonly<Record<string, IconName>> = {
  denied: 'refused',
  refused: 'refused',
  limited: 'refused',
  failed: 'error',
  cancelled: 'error',
  asked: 'waiting',
  allowed: 'ok',
  answered: 'ok',
};
const ACTIONS = [
  'asked',
  'allowed',
  'denied',
  'refused',
  'limited',
  'called',
  'answered',
  'failed',
  'cancelled',
  'signed-in',
  'signed-out',
] as const;
/** Members of the query that select entries, with the labels of their fields. */
const FIELDS = [
  ['text', 'Text in an entry', 'any text'],
  ['caller', 'Caller', 'caller, - for none'],
  ['tool', 'Tool', 'tool or server/tool'],
] as const;
const TIMES = [
  ['', 'any time'],
  ['1', 'last hour'],
  ['24', 'last day'],
  ['168', 'last week'],
] as const;
const MILLISECONDS_PER_HOUR = 3_600_000;

/** The audit logs of a gateway and of its replicas: searched, filtered, and verified. */
export function AuditPage() {
  const { query } = route.value;
  const [audit, setAudit] = useState<AuditView | null>(null);
  const [error, run] = useRequest();
  const wanted = readQuery(query);
  useEffect(() => {
    let isCurrent = true;
    void run(async () => {
      const found = await callApi<AuditView>('GET', `audit?${toApiQuery(wanted)}`);
      if (isCurrent) setAudit(found);
    });
    return () => {
      isCurrent = false;
    };
  }, [wanted]);
  return (
    <main class="view pane gateway">
      <GatewayTabs current="audit" />
      {audit?.files.length === 0 ? (
        <p class="empty">
          This gateway has no audit log. Start it with <code>--audit FILE</code>.
        </p>
      ) : (
        <>
          <AuditFilter count={audit?.count} />
          <RequestError error={error || (audit?.error?.cause ?? '')} />
          {audit && <Verification files={audit.files} />}
          {audit && audit.invalid > 0 && (
            <p class="issue">{formatCount(audit.invalid, 'line')} cannot be read as an entry. Verify the logs.</p>
          )}
          {audit?.error === null && audit.count === 0 && <p class="empty">No entry matches.</p>}
          {audit && audit.entries.length > 0 && <Entries audit={audit} />}
        </>
      )}
    </main>
  );
}

/** Returns the members of the query that select entries. */
function readQuery(query: URLSearchParams): string {
  const names = ['text', 'caller', 'tool', 'action', 'hours', 'before'];
  return new URLSearchParams(
    names.flatMap(name => (query.get(name) ? [[name, query.get(name) ?? '']] : [])),
  ).toString();
}

/** Replaces the number of hours by the time at which they began. */
function toApiQuery(text: string): string {
  const query = new URLSearchParams(text);
  const hours = Number(query.get('hours'));
  query.delete('hours');
  if (hours > 0) query.set('since', new Date(Math.max(0, Date.now() - hours * MILLISECONDS_PER_HOUR)).toISOString());
  return query.toString();
}

function AuditFilter({ count }: { readonly count: number | undefined }) {
  const { query } = route.value;
  const change = (name: string, value: string) => setQuery({ [name]: value, before: null });
  return (
    <div class="actions audit-filter">
      {FIELDS.map(([name, label, placeholder]) => (
        <input
          key={name}
          {...(name === 'text' ? { 'data-focus': true } : {})}
          aria-label={label}
          placeholder={placeholder}
          value={query.get(name) ?? ''}
          onChange={event => change(name, event.currentTarget.value.trim())}
        />
      ))}
      <select
        aria-label="Action"
        value={query.get('action') ?? ''}
        onChange={event => change('action', event.currentTarget.value)}
      >
        <option value="">all actions</option>
        <option value="none">not done</option>
        {ACTIONS.map(action => (
          <option key={action} value={action}>
            {action}
          </option>
        ))}
      </select>
      <select
        aria-label="Time"
        value={query.get('hours') ?? ''}
        onChange={event => change('hours', event.currentTarget.value)}
      >
        {TIMES.map(([hours, label]) => (
          <option key={hours} value={hours}>
            {label}
          </option>
        ))}
      </select>
      <span class="dim figures" role="status">
        {count !== undefined && `${count.toLocaleString('en')} ${count === 1 ? 'entry' : 'entries'}`}
      </span>
    </div>
  );
}

/** The logs, and their verification. */
function Verification({ files }: { readonly files: readonly string[] }) {
  const [result, setResult] = useState<AuditVerificationView | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [error, run] = useRequest();
  const verify = async () => {
    setBusy(true);
    await run(async () => setResult(await callApi<AuditVerificationView>('GET', 'audit/verify')));
    setBusy(false);
  };
  return (
    <section aria-label="Verification" class="verification">
      <div class="actions">
        <button type="button" disabled={isBusy} onClick={() => void verify()}>
          Verify
        </button>
        {!result && (
          <span class="dim places">
            <Text value={files.join(', ')} />
          </span>
        )}
      </div>
      <RequestError error={error} />
      {result?.logs.map(({ file, ok, lines, replica, finding, at, unshown }) => (
        <p key={file}>
          <span class={`state ${ok ? 'ok' : 'error'}`}>
            <Icon name={ok ? 'ok' : 'error'} /> {ok ? 'valid' : 'invalid'}
          </span>{' '}
          <Text value={file} />, {formatCount(lines, 'line')}
          {replica !== undefined && <Text value={`, replica ${replica}`} />}
          {finding && (
            <span class="issue">
              {' '}
              <Text value={`${at ? `${at.file}:${at.line}` : `line ${finding.line}`}: ${finding.what}`} />
            </span>
          )}
          {unshown.length > 0 && <span class="dim"> · cannot be verified: {unshown.join('; ')}</span>}
        </p>
      ))}
      {result?.missing.map(({ replica, seq }) => (
        <p key={replica} class="state waiting">
          <Icon name="waiting" /> <Text value={`not shown: the log of the replica ${replica}`} />, with at least{' '}
          {formatCount(seq + 1, 'line')}
        </p>
      ))}
    </section>
  );
}

function Entries({ audit: { entries, files, next } }: { readonly audit: AuditView }) {
  const before = route.value.query.get('before');
  const isReplicated = files.length > 1;
  return (
    <>
      <table class="rows">
        <thead>
          <tr>
            <th>time</th>
            <th>action</th>
            <th>call</th>
            <th>caller</th>
            <th>because</th>
            <th class="number">took</th>
            {isReplicated && <th>replica</th>}
          </tr>
        </thead>
        <tbody>
          {entries.map(entry => (
            <EntryRows key={`${entry.file} ${entry.seq}`} entry={entry} isReplicated={isReplicated} />
          ))}
        </tbody>
      </table>
      <nav class="actions" aria-label="Pages">
        {before !== null && (
          <button type="button" onClick={() => setQuery({ before: null })}>
            Newest
          </button>
        )}
        {next !== null && (
          <button type="button" onClick={() => setQuery({ before: next })}>
            Older
          </button>
        )}
      </nav>
    </>
  );
}

function EntryRows({ entry: shown, isReplicated }: { readonly entry: AuditEntryView; readonly isReplicated: boolean }) {
  const { file, seq, time, action, replica, principal, server, name, rule, reason, outcome, ms, entry } = shown;
  const [isOpen, setOpen] = useState(false);
  const icon = ICONS[action];
  const because = [outcome === 'ok' ? undefined : outcome, reason, reason || rule === undefined ? '' : `rule ${rule}`];
  return (
    <>
      <tr>
        <td>
          <button
            type="button"
            class="link mono"
            aria-expanded={isOpen}
            title={`Entry ${seq} of ${file}`}
            onClick={() => setOpen(!isOpen)}
          >
            {formatInstant(time)}
          </button>
        </td>
        <td class={`state ${icon ?? 'none'}`}>
          <Icon name={icon ?? 'none'} /> {action}
        </td>
        <td class="mono">
          <Text value={[server, name].filter(Boolean).join('/')} />
        </td>
        <td class="dim">
          <Text value={principal === undefined ? '–' : describeCaller({ principal })} />
        </td>
        <td class="named">
          <Text value={because.filter(Boolean).join(', ')} />
        </td>
        <td class="number">{ms === undefined ? '' : formatDuration(ms)}</td>
        {isReplicated && (
          <td class="dim">
            <Text value={replica ?? file} />
          </td>
        )}
      </tr>
      {isOpen && (
        <tr class="note">
          <td colSpan={7}>
            <pre class="text">
              <Text value={JSON.stringify(entry, null, 2)} />
            </pre>
          </td>
        </tr>
      )}
    </>
  );
}

/** Formats an instant of an entry in the zone of the user: `2026-11-28 02:41:09`. */
function formatInstant(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return time;
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19).replace('T', ' ');
}
