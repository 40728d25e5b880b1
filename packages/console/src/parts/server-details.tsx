import { useEffect, useState } from 'preact/hooks';
import type { FindingView, Json, ServerView } from '../api.js';
import { formatCount } from '../format.js';
import { callApi, describeFailure, toServerApi } from '../request.js';
import { FaultForm } from './fault-plan.js';
import { ForOperator } from './for-operator.js';
import { Icon, type IconName } from './icons.js';
import { JsonTree } from './json-tree.js';
import { useRequest } from './request-error.js';
import { Snapshots } from './snapshots.js';
import { ForeignLink, Text } from './text.js';

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

const ICONS: Readonly<Record<FindingView['severity'], IconName>> = {
  ok: 'ok',
  info: 'none',
  warning: 'waiting',
  problem: 'error',
};

/** Shows the declared capabilities of a server, its log level, and the report of `tenon doctor`. */
export function ServerDetails({ server }: { readonly server: ServerView }) {
  const path = toServerApi(server.name);
  return (
    <>
      <Snapshots server={server} />
      <ForOperator>
        {server.state === 'connected' && <Capabilities key={`${path} ${server.protocolVersion}`} path={path} />}
        {server.capabilities.includes('logging') && <LogLevel path={path} />}
        <Doctor path={path} />
        {server.state === 'connected' && <FaultForm server={server} path={path} />}
      </ForOperator>
    </>
  );
}

function Capabilities({ path }: { readonly path: string }) {
  const [capabilities, setCapabilities] = useState<Json | null>(null);
  useEffect(() => {
    let isCurrent = true;
    callApi<{ capabilities: Json }>('POST', `${path}/capabilities`).then(
      read => {
        if (isCurrent) setCapabilities(read.capabilities);
      },
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [path]);
  if (!capabilities) return null;
  return (
    <section>
      <h2>capabilities and extensions</h2>
      <div class="tree">
        <JsonTree value={capabilities} open={4} />
      </div>
    </section>
  );
}

/** The least level of log messages of the server. */
function LogLevel({ path }: { readonly path: string }) {
  const [level, setLevel] = useState('');
  const [error, run] = useRequest();
  const choose = (next: string) => {
    setLevel(next);
    void run(async () => {
      await callApi('POST', `${path}/log-level`, { level: next });
    });
  };
  return (
    <p>
      <label>
        log messages from level{' '}
        <select value={level} onChange={event => choose(event.currentTarget.value)}>
          {level === '' && <option value="">default of the server</option>}
          {LEVELS.map(each => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>{' '}
      {error !== '' && (
        <span class="issue">
          <Text value={error} />
        </span>
      )}
    </p>
  );
}

interface Report {
  readonly counts: Readonly<Record<FindingView['severity'], number>>;
  readonly findings: readonly FindingView[];
  readonly skipped: readonly { readonly check: string; readonly reason: string }[];
}

/** The report of `tenon doctor --json`, on request: problems and warnings first. */
function Doctor({ path }: { readonly path: string }) {
  const [report, setReport] = useState<Report | null>(null);
  const [state, setState] = useState('');
  const [isWhole, setWhole] = useState(false);
  const examine = async () => {
    setState('examining…');
    try {
      setReport(await callApi<Report>('GET', `${path}/doctor`));
      setState('');
    } catch (thrown) {
      setState(describeFailure(thrown).cause);
    }
  };
  const serious = report?.findings.filter(({ severity }) => severity === 'problem' || severity === 'warning') ?? [];
  const shown = isWhole ? (report?.findings ?? []) : serious;
  return (
    <section class="doctor">
      <div class="actions">
        <button type="button" onClick={() => void examine()}>
          Examine (doctor)
        </button>
        <span class="dim">
          <Text value={state} />
        </span>
        {report && (
          <>
            <span class={`state ${serious.length === 0 ? 'ok' : 'waiting'}`}>
              {formatCount(report.counts.problem, 'problem')}, {formatCount(report.counts.warning, 'warning')}
            </span>
            <button type="button" class="link" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
              {isWhole ? 'only these' : `all ${report.findings.length} findings`}
            </button>
            <button
              type="button"
              class="quiet"
              onClick={() => void navigator.clipboard.writeText(JSON.stringify(report, null, 2))}
            >
              Copy as JSON
            </button>
          </>
        )}
      </div>
      {shown.map(finding => (
        <Finding key={finding.id + finding.title} finding={finding} />
      ))}
      {isWhole &&
        report?.skipped.map(({ check, reason }) => (
          <p class="finding dim" key={check}>
            {check} was not examined: <Text value={reason} />
          </p>
        ))}
    </section>
  );
}

/** A finding with its cause and its fix. */
export function Finding({
  finding: { id, severity, title, seen, cause, fix, spec },
}: {
  readonly finding: FindingView;
}) {
  return (
    <div class="finding">
      <span class={`state ${ICONS[severity]}`}>
        <Icon name={ICONS[severity]} /> {id}
      </span>{' '}
      <Text value={title} />
      {seen && (
        <div class="dim">
          <Text value={seen} />
        </div>
      )}
      {cause && (
        <div>
          <Text value={cause} />
        </div>
      )}
      {fix && (
        <div>
          <b>Fix:</b> <Text value={fix} />{' '}
          <button type="button" class="quiet" onClick={() => void navigator.clipboard.writeText(fix)}>
            Copy
          </button>
        </div>
      )}
      {spec && severity !== 'ok' && <ForeignLink address={spec} />}
    </div>
  );
}
