import { useEffect, useState } from 'preact/hooks';
import type { SignInExchange, SignInPhase, SignInRequest, SignInRequirement, SignInView } from '../api.js';
import { canChange, hello, servers, signIns } from '../console-state.js';
import { formatDuration } from '../format.js';
import { ForOperator } from '../parts/for-operator.js';
import { Icon, type IconName } from '../parts/icons.js';
import { RequestError, useRequest } from '../parts/request-error.js';
import { Finding } from '../parts/server-details.js';
import { ServerTabs } from '../parts/server-tabs.js';
import { ForeignLink, Text } from '../parts/text.js';
import { callApi } from '../request.js';
import { readNumber, route, setQuery } from '../route.js';
import { CallerSignIns } from './caller-sign-ins.js';

/** The parts of a sign-in, in the order of the standards. */
const PHASES: readonly (readonly [phase: SignInPhase, title: string])[] = [
  ['challenge', 'The server refuses a request without a token'],
  ['resource-metadata', 'Metadata of the resource'],
  ['issuer-metadata', 'Metadata of the authorization server'],
  ['registration', 'Registration of the client'],
  ['authorization', 'The user signs in'],
  ['token', 'Code for token'],
  ['access', 'The request again, with the token'],
  ['refresh', 'Renewal'],
  ['step-up', 'More scopes'],
];

const STATES: Readonly<Record<SignInView['state'], readonly [icon: IconName, text: string]>> = {
  running: ['waiting', 'running'],
  held: ['waiting', 'the next request waits for you'],
  waiting: ['waiting', 'waits for the sign-in'],
  done: ['ok', 'done'],
  failed: ['error', 'failed'],
};

/** The tokens are there, but a part has a problem: the server may refuse them. */
const DONE_WITH_PROBLEM: readonly [icon: IconName, text: string] = ['error', 'done, with a problem'];

const toId = (phase: SignInPhase): string => `part-${phase}`;

/** Returns the first part of a sign-in with a problem. */
const findProblem = ({ findings }: SignInView): SignInPhase | undefined =>
  PHASES.map(([phase]) => phase).find(phase =>
    findings.some(each => each.phase === phase && each.severity === 'problem'),
  );

/** Tries the sign-in at a server of the console, or at any URL, and shows each request beside what the standards ask. */
export function SignInPage({ name }: { readonly name?: string | undefined }) {
  const server = name === undefined ? undefined : servers.value.get(name);
  const chosen = readNumber(route.value.query.get('id'));
  const own = [...signIns.value.values()]
    .filter(each => name === undefined || each.server === name)
    .sort((a, b) => b.id - a.id);
  const attempt = own.find(({ id }) => id === chosen) ?? own[0];
  return (
    <main class="view pane sign-in">
      {server && (
        <div class="server-head">
          <ServerTabs server={server} current="auth" />
        </div>
      )}
      <h1>Sign-in</h1>
      <ForOperator>
        <TryForm name={name} label={server?.label} />
      </ForOperator>
      {own.length > 1 && (
        <p class="attempts">
          {own.map(({ id, url, state }) => (
            <a key={id} href={`?id=${id}`} aria-current={id === attempt?.id ? 'page' : undefined}>
              {id}: <Text value={new URL(url).host} />, {STATES[state][1]}
            </a>
          ))}
        </p>
      )}
      {attempt ? (
        <Attempt key={attempt.id} attempt={attempt} />
      ) : (
        <p class="dim">
          {canChange.value
            ? 'No sign-in was tried. It gets tokens of its own and leaves yours as they are.'
            : 'No sign-in was tried.'}
        </p>
      )}
      {name === undefined && hello.value?.isGateway && canChange.value && <CallerSignIns />}
    </main>
  );
}

function TryForm({ name, label }: { readonly name: string | undefined; readonly label: string | undefined }) {
  const [url, setUrl] = useState(route.value.query.get('url') ?? '');
  const [version, setVersion] = useState('');
  const [clientId, setClientId] = useState('');
  const [scopes, setScopes] = useState('');
  const [error, run] = useRequest();
  const start = (stepwise: boolean) =>
    run(async () => {
      const body: SignInRequest = {
        ...(name === undefined ? { url } : { server: name }),
        stepwise,
        ...(version === '' ? {} : { version }),
        ...(clientId === '' ? {} : { clientId }),
        ...(scopes === '' ? {} : { scopes }),
      };
      const { id } = await callApi<SignInView>('POST', 'sign-ins', body);
      setQuery({ id: String(id), url: name === undefined ? url : null });
    });
  return (
    <form
      class="actions"
      onSubmit={event => {
        event.preventDefault();
        void start(false);
      }}
    >
      {name === undefined ? (
        <input
          class="mono url"
          data-focus
          aria-label="URL of an MCP server"
          placeholder="https://example.com/mcp  /"
          value={url}
          onInput={event => setUrl(event.currentTarget.value)}
        />
      ) : (
        <span class="mono url">
          <Text value={label ?? name} />
        </span>
      )}
      <button type="submit" class="primary" disabled={name === undefined && url.trim() === ''}>
        Sign in
      </button>
      <button type="button" disabled={name === undefined && url.trim() === ''} onClick={() => void start(true)}>
        Step by step
      </button>
      <details>
        <summary>client, scopes, version</summary>
        <div class="actions">
          <label>
            client ID{' '}
            <input
              placeholder="registers itself"
              value={clientId}
              onInput={event => setClientId(event.currentTarget.value)}
            />
          </label>
          <label>
            scopes{' '}
            <input
              placeholder="those of the server"
              value={scopes}
              onInput={event => setScopes(event.currentTarget.value)}
            />
          </label>
          <label>
            version{' '}
            <select value={version} onChange={event => setVersion(event.currentTarget.value)}>
              <option value="">default</option>
              {hello.value?.protocolVersions.map(each => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </label>
        </div>
      </details>
      <RequestError error={error} />
    </form>
  );
}

function Attempt({ attempt }: { readonly attempt: SignInView }) {
  const problem = findProblem(attempt);
  const [icon, text] = problem && attempt.state === 'done' ? DONE_WITH_PROBLEM : STATES[attempt.state];
  const phases = PHASES.filter(
    ([phase]) =>
      (phase !== 'refresh' && phase !== 'step-up') ||
      attempt.canContinue ||
      attempt.exchanges.some(({ round }) => round === phase),
  );
  return (
    <section aria-label="Requests of the sign-in">
      <div class="actions attempt-head">
        <span class={`state ${icon}`} role="status">
          <Icon name={icon} /> {text}
        </span>
        {problem && (
          <button type="button" class="link" onClick={() => document.getElementById(toId(problem))?.scrollIntoView()}>
            problem in part {phases.findIndex(([phase]) => phase === problem) + 1}
          </button>
        )}
        <span class="mono">
          <Text value={attempt.url} />
        </span>
        <span class="dim">{attempt.version}</span>
        <ForOperator>
          <AttemptActions attempt={attempt} />
        </ForOperator>
      </div>
      {attempt.token && (
        <p class="dim">
          token for <Text value={attempt.token.audience.join(', ') || 'an audience that it does not tell'} />
          {attempt.token.scopes !== null && (
            <>
              , scopes <Text value={attempt.token.scopes} />
            </>
          )}
          {attempt.token.expiresIn === null ? '' : `, good for ${formatDuration(attempt.token.expiresIn)}`},{' '}
          {attempt.token.isRefreshable ? 'with a refresh token' : 'without a refresh token'}
        </p>
      )}
      <ol class="phases">
        {phases.map(([phase, title], index) => (
          <Phase key={phase} phase={phase} title={title} number={index + 1} attempt={attempt} />
        ))}
      </ol>
    </section>
  );
}

function AttemptActions({ attempt: { id, state, hasPage, canContinue } }: { readonly attempt: SignInView }) {
  const [error, run] = useRequest();
  const [page, setPage] = useState('');
  const [scope, setScope] = useState('');
  const send = (action: string, body: object = {}) =>
    void run(async () => {
      await callApi('POST', `sign-ins/${id}/${action}`, body);
    });
  useEffect(() => {
    setPage('');
    if (!hasPage) return;
    let isCurrent = true;
    callApi<{ readonly url: string | null }>('POST', `sign-ins/${id}/page`).then(
      ({ url }) => {
        if (isCurrent && url !== null && /^https?:/i.test(url)) setPage(url);
      },
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [id, hasPage]);
  return (
    <>
      {state === 'held' && (
        <>
          <button type="button" class="primary" data-key="n" onClick={() => send('next')}>
            Send <kbd>n</kbd>
          </button>
          <button type="button" onClick={() => send('next', { all: true })}>
            Send all
          </button>
        </>
      )}
      {page !== '' && (
        <a class="button primary" href={page} target="_blank" rel="noopener noreferrer">
          Open the page of {new URL(page).host}
        </a>
      )}
      {(state === 'running' || state === 'held' || state === 'waiting') && (
        <button type="button" onClick={() => send('cancel')}>
          Cancel
        </button>
      )}
      {canContinue && (
        <form
          class="actions"
          onSubmit={event => {
            event.preventDefault();
            send('step-up', { scope });
          }}
        >
          <button type="button" onClick={() => send('refresh')}>
            Renew the token
          </button>
          <input
            aria-label="Scopes to ask for"
            placeholder="notes:write"
            value={scope}
            onInput={event => setScope(event.currentTarget.value)}
          />
          <button type="submit" disabled={scope.trim() === ''}>
            Ask for more scopes
          </button>
        </form>
      )}
      <RequestError error={error} />
    </>
  );
}

interface PhaseProps {
  readonly phase: SignInPhase;
  readonly title: string;
  readonly number: number;
  readonly attempt: SignInView;
}

function Phase({ phase, title, number, attempt }: PhaseProps) {
  // Renewal and step-up have requests of several kinds, which belong together.
  const exchanges = attempt.exchanges.filter(each =>
    each.round === 'sign-in' ? each.phase === phase : each.round === phase,
  );
  const found = attempt.findings.filter(each => each.phase === phase && each.severity !== 'ok');
  const requirements = attempt.requirements.filter(each => each.phase === phase);
  const isBroken = found.some(({ severity }) => severity === 'problem');
  const state = isBroken
    ? 'error'
    : found.some(({ severity }) => severity === 'warning')
      ? 'waiting'
      : exchanges.length > 0
        ? 'ok'
        : 'none';
  return (
    <li
      id={toId(phase)}
      class={exchanges.length === 0 && found.length === 0 ? 'phase later' : 'phase'}
      aria-label={title}
    >
      <h2>
        <span class={`state ${state}`}>
          <Icon name={state} />
        </span>{' '}
        {number}. {title}
      </h2>
      <div class="phase-body">
        <div class="exchanges">
          {found.map(finding => (
            <Finding key={finding.id} finding={finding} />
          ))}
          {exchanges.map(exchange => (
            <Exchange key={exchange.id} exchange={exchange} />
          ))}
          {exchanges.length === 0 && found.length === 0 && <p class="dim">not reached</p>}
        </div>
        <ul class="requirements" aria-label={`Standards for: ${title}`}>
          {requirements.map(each => (
            <Requirement key={each.text} requirement={each} />
          ))}
        </ul>
      </div>
    </li>
  );
}

const REQUIREMENT_ICONS: Readonly<Record<SignInRequirement['state'], IconName>> = {
  met: 'ok',
  broken: 'error',
  open: 'none',
};
const REQUIREMENT_WORDS: Readonly<Record<SignInRequirement['state'], string>> = {
  met: 'met: ',
  broken: 'not met: ',
  open: '',
};

function Requirement({
  requirement: { document, section, url, text, state },
}: {
  readonly requirement: SignInRequirement;
}) {
  return (
    <li>
      <span class={`state ${REQUIREMENT_ICONS[state]}`}>
        <Icon name={REQUIREMENT_ICONS[state]} />
      </span>
      <span>
        <span class="for-readers">{REQUIREMENT_WORDS[state]}</span>
        {text}{' '}
        <a class="dim" href={url} target="_blank" rel="noopener noreferrer">
          {document} {/^\d/.test(section) ? `§ ${section}` : section}
        </a>
      </span>
    </li>
  );
}

function Exchange({ exchange }: { readonly exchange: SignInExchange }) {
  const { phase, method, url, status, took, error, requestHeaders, requestBody, responseHeaders, responseBody } =
    exchange;
  // A 401 to the first request, and a missing document, are what a client expects.
  const isExpected = status === null || status < 400 || (phase === 'challenge' && status === 401);
  return (
    <details class="exchange mono" open={error !== null}>
      <summary>
        {method} <Text value={url} />{' '}
        <span class={`state ${error !== null ? 'error' : status === null ? 'waiting' : isExpected ? 'ok' : 'error'}`}>
          {error !== null ? 'no response' : (status ?? 'not answered')}
        </span>{' '}
        <span class="dim">{took === null ? '' : formatDuration(took)}</span>
      </summary>
      {error !== null && (
        <p class="issue">
          <Text value={error} />
        </p>
      )}
      <Side title="request" headers={requestHeaders} body={requestBody} />
      <Side title="response" headers={responseHeaders} body={responseBody} />
    </details>
  );
}

interface SideProps {
  readonly title: string;
  readonly headers: SignInExchange['requestHeaders'];
  readonly body: string;
}

function Side({ title, headers, body }: SideProps) {
  if (headers.length === 0 && body === '') return null;
  return (
    <div class="side">
      <div class="strong">{title}</div>
      <dl class="headers">
        {headers.map(([name, value]) => (
          <>
            <dt>
              <Text value={name} />
            </dt>
            <dd>{name === 'location' ? <ForeignLink address={value} /> : <Text value={value} />}</dd>
          </>
        ))}
      </dl>
      {body !== '' && (
        <pre class="text">
          <Text value={body} />
        </pre>
      )}
    </div>
  );
}
