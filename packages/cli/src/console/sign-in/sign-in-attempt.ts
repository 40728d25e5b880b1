import { type JsonObject, parseJsonObject } from '@tenon/base';
import { formatChallenges } from '@tenon/base/oauth';
import type { FindingView, SignInExchange, SignInPhase, SignInView } from '@tenon/console/api';
import { protocolVersions, TenonError } from 'tenon';
import {
  type AuthExceptions,
  type AuthFetch,
  type AuthFetchResponse,
  type Authorizer,
  memoryTokenStore,
  type Redirect,
  signIn,
} from 'tenon/auth';
import { fetchWithAddressCheck, loopbackRedirect } from 'tenon/auth/node';
import { checkChallenge, checkIssuer } from '../../doctor/checks/authorization.js';
import { createFindingFactory, getSpecificationPage } from '../../doctor/finding.js';
import { createHttpProbe, type ProbeResponse } from '../../doctor/http-probe.js';
import { closeSession, createInitialize, createStatelessRequest } from '../../doctor/raw-requests.js';
import { getHint } from '../../error-hints.js';
import { createErrorView } from '../console-calls.js';
import { maskHeader } from '../http-log.js';
import { maskBody, maskUrl } from './mask-exchange.js';
import { RequestGate } from './request-gate.js';
import { listRequirements } from './requirements.js';
import { readClaims } from './token-claims.js';

/** Time for the response of the MCP server, in milliseconds. */
const RESPONSE_TIMEOUT = 10_000;
/** Time for the user to sign in, in milliseconds. */
const PAGE_TIMEOUT = 10 * 60_000;
/** Maximum number of requests of one attempt. The oldest are dropped. */
const MAX_EXCHANGES = 60;

/** Options of an attempt. */
export interface AttemptOptions {
  readonly id: number;
  /** URL of the MCP server. */
  readonly url: string;
  /** Server of the console to which the URL belongs. */
  readonly server: string | null;
  /** Protocol version of the opening request. */
  readonly version: string;
  /** Holds each request until the user lets it pass. */
  readonly isStepwise: boolean;
  readonly clientId?: string | undefined;
  readonly scopes?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly exceptions?: AuthExceptions | undefined;
  /** Called after each change. */
  readonly onChange: (view: SignInView) => void;
}

/** Phase in which an error shows, by its code. */
const PHASES: Readonly<Record<string, SignInPhase>> = {
  'auth/no-resource-metadata': 'resource-metadata',
  'auth/resource-mismatch': 'resource-metadata',
  'auth/no-issuer': 'resource-metadata',
  'auth/no-issuer-metadata': 'issuer-metadata',
  'auth/issuer-mismatch': 'issuer-metadata',
  'auth/foreign-endpoint': 'issuer-metadata',
  'auth/no-pkce': 'issuer-metadata',
  'auth/no-client': 'registration',
  'auth/registration': 'registration',
  'auth/denied': 'authorization',
  'auth/foreign-answer': 'authorization',
};

const findings = createFindingFactory('sign-in');

/**
 * One sign-in at a server, with each of its requests. The functions of the library sign in: the attempt only gives them a
 * `fetch` that records, and a token store of its own, so that the tokens of the user stay as they are.
 */
export class SignInAttempt {
  readonly #options: AttemptOptions;
  readonly #gate: RequestGate;
  readonly #authorizer: Authorizer;
  readonly #abort = new AbortController();
  readonly #exchanges: SignInExchange[] = [];
  #findings: (FindingView & { readonly phase: SignInPhase })[] = [];
  #round: SignInExchange['round'] = 'sign-in';
  #metadataUrl: string | undefined;
  #resource: JsonObject | undefined;
  #state: SignInView['state'] = 'running';
  #error: SignInView['error'] = null;
  #token: SignInView['token'] = null;
  #page: URL | undefined;
  #last = 0;

  constructor(options: AttemptOptions) {
    this.#options = options;
    this.#gate = new RequestGate(options.isStepwise, () => this.#notify());
    const { clientId, scopes, url, exceptions } = options;
    this.#authorizer = signIn({
      clientName: 'Tenon console',
      tokenStore: memoryTokenStore(),
      clock: this.#gate.clock,
      fetch: this.#fetch,
      redirect: this.#createRedirect(clientId === undefined ? {} : { path: '/callback' }),
      ...(clientId === undefined ? {} : { client: { id: clientId } }),
      ...(scopes === undefined ? {} : { scopes }),
      ...(exceptions ? { exceptions: { [url]: exceptions } } : {}),
    });
  }

  get view(): SignInView {
    const { id, url, server, version } = this.#options;
    const reached = new Set(
      this.#exchanges
        .filter(({ status, round }) => status !== null && status < 400 && round === 'sign-in')
        .map(({ phase }) => phase),
    );
    const isIdle = this.#state === 'done';
    return {
      id,
      url,
      server,
      version,
      state: this.#gate.isHolding ? 'held' : this.#state,
      hasPage: this.#page !== undefined,
      exchanges: [...this.#exchanges],
      findings: this.#findings,
      requirements: listRequirements(version, reached, this.#findings),
      error: this.#error,
      token: this.#token,
      canContinue: isIdle && this.#token !== null,
    };
  }

  /** Address of the page at which the user signs in, while the attempt waits for it. */
  get page(): string | undefined {
    return this.#page?.href;
  }

  pass(all: boolean): void {
    this.#gate.pass(all);
  }

  cancel(): void {
    if (this.#state === 'done' || this.#state === 'failed') return;
    this.#abort.abort(new TenonError('auth/aborted', 'the sign-in was cancelled'));
    this.#gate.pass(true);
  }

  /** Signs in as a client that has no token. */
  start(): Promise<void> {
    return this.#run('sign-in', async () => {
      const refused = await this.#request({});
      if (refused.status !== 401) return this.#reportOpen(refused);
      this.#add('challenge', checkChallenge(refused, createFindingFactory('authorization')));
      if (await this.#recover(401, refused.header)) await this.#useToken();
    });
  }

  /** Renews the access token as a client does when it has expired. */
  refresh(): Promise<void> {
    return this.#run('refresh', async () => {
      const lifetime = this.#token?.expiresIn ?? null;
      const before = this.#last;
      if (lifetime !== null) this.#gate.ahead += lifetime + 1000;
      const headers = await this.#authorizer.getHeaders(this.#describeRequest());
      if (this.#last === before) {
        this.#add('refresh', [
          findings.warning('no-refresh', 'no token was renewed', {
            cause:
              lifetime === null
                ? 'the token has no expires_in, so that a client renews it only after a refusal'
                : 'the authorization server has issued no refresh token, so that the user signs in again',
            fix:
              lifetime === null
                ? 'send expires_in with each access token'
                : 'issue refresh tokens, and list offline_access in scopes_supported of the authorization server',
          }),
        ]);
        return;
      }
      await this.#useToken(headers);
    });
  }

  /** Asks for more scopes as a client does after a 403 with `insufficient_scope`. */
  stepUp(scope: string): Promise<void> {
    return this.#run('step-up', async () => {
      const challenge = formatChallenges([{ scheme: 'Bearer', params: { error: 'insufficient_scope', scope } }]);
      if (await this.#recover(403, name => (name === 'www-authenticate' ? challenge : undefined)))
        await this.#useToken();
    });
  }

  async #run(round: SignInExchange['round'], work: () => Promise<void>): Promise<void> {
    this.#round = round;
    this.#state = 'running';
    this.#error = null;
    this.#notify();
    try {
      await work();
      this.#state = 'done';
    } catch (thrown) {
      this.#fail(TenonError.from(thrown));
    }
    this.#page = undefined;
    this.#notify();
  }

  #fail(error: TenonError): void {
    const { code, summary, peer, expected, received } = error;
    const isResourceRefused = Object(error.data).error === 'invalid_target' || received?.includes('invalid_target');
    const phase = PHASES[code] ?? this.#exchanges.at(-1)?.phase ?? 'challenge';
    this.#state = 'failed';
    this.#error = createErrorView(error);
    if (this.#abort.signal.aborted) return;
    const seen = new TenonError(code, summary, { peer, expected, received }).message;
    this.#findings.push({ phase, id: code, severity: 'problem', title: summary, seen, fix: getHint(error) });
    if (isResourceRefused)
      this.#add(phase, [
        findings.problem('resource', 'the authorization server does not know this resource', {
          seen: `resource=${String(this.#resource?.resource ?? this.#options.url)}`,
          cause: 'it answers invalid_target to the parameter resource (RFC 8707)',
          fix: 'add this identifier to the resources of the authorization server, character by character as the metadata of the server has it; for an authorization server without RFC 8707, use --auth-exception omitResource',
          spec: 'https://www.rfc-editor.org/rfc/rfc8707#section-2',
        }),
      ]);
  }

  #reportOpen({ status }: ProbeResponse): void {
    const seen = `HTTP ${status}`;
    if (status >= 200 && status < 300)
      return this.#add('challenge', [findings.info('none', 'the server needs no sign-in', { seen })]);
    this.#add('challenge', [
      findings.problem('no-challenge', 'the server refuses the request, but does not ask for a sign-in', {
        seen,
        cause: 'clients start a sign-in only after 401',
        fix: 'answer requests without a valid token with 401 and WWW-Authenticate; if the path is wrong, correct the URL',
        spec: getSpecificationPage('basic/authorization', this.#options.version),
      }),
    ]);
  }

  #recover(status: number, header: (name: string) => string | undefined): Promise<boolean> {
    const token = this.#accessToken;
    return this.#authorizer.handleRefusal({
      ...this.#describeRequest(),
      status,
      header,
      sentHeaders: token === undefined ? {} : { authorization: token },
      request: {},
      protocolVersion: this.#options.version,
    });
  }

  #accessToken: string | undefined;

  #describeRequest() {
    const { url } = this.#options;
    return { method: 'POST', url, server: url, signal: this.#abort.signal };
  }

  /** Sends the opening request again, with the token. */
  async #useToken(given?: Readonly<Record<string, string>>): Promise<void> {
    const headers = given ?? (await this.#authorizer.getHeaders(this.#describeRequest()));
    this.#accessToken = headers.authorization;
    const response = await this.#request(headers);
    this.#examineToken(headers.authorization?.split(' ')[1] ?? '', response);
    const session = response.header('mcp-session-id');
    if (session !== undefined)
      await closeSession(this.#createProbe({ ...headers }), {
        id: session,
        opening: response,
        headers: { 'mcp-session-id': session },
      });
  }

  #examineToken(token: string, response: ProbeResponse): void {
    const { audience, scopes } = readClaims(token);
    this.#token = this.#token && { ...this.#token, audience, scopes: scopes ?? this.#token.scopes };
    const expected = String(this.#resource?.resource ?? this.#options.url);
    const isOther = audience.length > 0 && !audience.includes(expected);
    const details = { seen: `aud: ${audience.join(', ')}; resource: ${expected}` };
    const fix =
      'let the authorization server issue tokens for the requested resource (RFC 8707), and let the server require this audience';
    if (response.status === 401 || response.status === 403) {
      this.#add('access', [
        findings.problem('refused', 'the server refuses the token that was issued for it', {
          seen: `HTTP ${response.status}${response.header('www-authenticate') === undefined ? '' : `, ${String(response.header('www-authenticate')).slice(0, 300)}`}`,
          ...(isOther
            ? { cause: `the token is for another audience (${details.seen})`, fix }
            : { fix: 'compare issuer, audience, keys and scopes that the server requires with those of the token' }),
        }),
      ]);
      return;
    }
    this.#add('access', [findings.ok('refused', 'the server accepts the token', { seen: `HTTP ${response.status}` })]);
    if (isOther)
      this.#add('access', [
        findings.warning('audience', 'the token is for another audience than the server', {
          ...details,
          cause: 'a server that accepts it also accepts tokens that users gave to other servers',
          fix,
        }),
      ]);
    else if (audience.length > 0)
      this.#add('access', [findings.ok('audience', 'the token is for this server', details)]);
  }

  async #request(headers: Readonly<Record<string, string>>): Promise<ProbeResponse> {
    const { version } = this.#options;
    const opening =
      version === protocolVersions[0] ? createStatelessRequest(version) : { body: createInitialize(version) };
    let exchange: SignInExchange | undefined;
    const probe = this.#createProbe(headers, async sent => {
      exchange = await this.#begin(headers.authorization === undefined ? 'challenge' : 'access', sent);
    });
    try {
      const response = await probe(opening);
      if (exchange) this.#end(exchange, response.status, response.headers, response.text);
      return response;
    } catch (error) {
      if (exchange) this.#replace(exchange, { error: String(Object(error).message ?? error).slice(0, 300) });
      throw new TenonError('auth/unreachable', 'the server does not respond', {
        peer: this.#options.url.slice(0, 200),
        received: String(Object(error).code ?? Object(error).message).slice(0, 200),
        hint: 'start the server, and check the URL',
      });
    }
  }

  #createProbe(headers: Readonly<Record<string, string>>, onSend?: Parameters<typeof createHttpProbe>[0]['onSend']) {
    const { authorization: _, ...own } = Object.fromEntries(
      Object.entries(this.#options.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    );
    return createHttpProbe({
      url: new URL(this.#options.url),
      timeout: RESPONSE_TIMEOUT,
      verify: true,
      getHeaders: async () => ({ ...own, ...headers }),
      onSend,
    });
  }

  /** Sends a request of the library, and records it. */
  readonly #fetch: AuthFetch = async (url, init, guard) => {
    const { method, headers, body } = init;
    const phase = this.#classify(url, method, body);
    const exchange = await this.#begin(phase, { method, url, headers, body });
    try {
      const response = await fetchWithAddressCheck(url, init, guard);
      const text = await readBody(response);
      const received: [string, string][] = [];
      response.headers.forEach((value, name) => void received.push([name, value]));
      this.#end(exchange, response.status, received, text);
      this.#learn(phase, response.status, text);
      return new Response([204, 205, 304].includes(response.status) ? null : text, {
        status: response.status,
        headers: Object.fromEntries(
          received.filter(([name]) => name !== 'content-encoding' && name !== 'content-length'),
        ),
      });
    } catch (error) {
      this.#replace(exchange, { error: String(Object(error).message ?? error).slice(0, 300) });
      throw error;
    }
  };

  #classify(url: string, method: string, body: string | undefined): SignInPhase {
    if (method === 'GET')
      return url === this.#metadataUrl || url.includes('/.well-known/oauth-protected-resource')
        ? 'resource-metadata'
        : 'issuer-metadata';
    if (!body?.includes('grant_type=')) return 'registration';
    return body.includes('grant_type=refresh_token') ? 'refresh' : 'token';
  }

  /** Examines a response of the authorization server with the checks of the doctor. */
  #learn(phase: SignInPhase, status: number, text: string): void {
    const document = parseJsonObject(text);
    if (status >= 400 || document === undefined) return;
    if (phase === 'resource-metadata') this.#resource = document;
    if (phase === 'issuer-metadata') {
      const { exceptions = {} } = this.#options;
      const resource = this.#resource && { resource: String(this.#resource.resource), issuers: [], scopes: undefined };
      const issuer = String(document.issuer);
      const checked = checkIssuer(
        { issuer, metadata: document, resource },
        exceptions,
        createFindingFactory('authorization'),
      );
      this.#findings = this.#findings.filter(each => each.phase !== phase && each.phase !== 'registration');
      for (const each of checked) this.#add(each.id === 'authorization.registration' ? 'registration' : phase, [each]);
    }
    if (phase === 'token' || phase === 'refresh')
      this.#token = {
        expiresIn: typeof document.expires_in === 'number' ? document.expires_in * 1000 : null,
        isRefreshable:
          typeof document.refresh_token === 'string' || (phase === 'refresh' && this.#token?.isRefreshable === true),
        scopes: typeof document.scope === 'string' ? document.scope : null,
        audience: [],
      };
  }

  /** Creates the redirect of the library, whose page the user opens from the view. */
  #createRedirect(options: { readonly path?: string }): Redirect {
    const loopback = loopbackRedirect({
      ...options,
      open: false,
      print: () => {},
      timeout: PAGE_TIMEOUT,
      clock: this.#gate.clock,
    });
    return {
      begin: async (known, signal, issuerPath) => {
        const attempt = await loopback.begin(known, signal, issuerPath);
        return {
          uri: attempt.uri,
          close: () => attempt.close(),
          authorize: async (url, pageSignal) => {
            const exchange = await this.#begin('authorization', {
              method: 'GET',
              url: url.href,
              headers: {},
              body: undefined,
            });
            this.#page = url;
            this.#state = 'waiting';
            this.#notify();
            try {
              const callback = await attempt.authorize(url, pageSignal);
              this.#replace(exchange, {
                status: 302,
                responseHeaders: [['location', maskUrl(callback)]],
                took: Date.now() - exchange.time,
              });
              return callback;
            } finally {
              this.#page = undefined;
              this.#state = 'running';
              this.#notify();
            }
          },
        };
      },
    };
  }

  async #begin(
    phase: SignInPhase,
    sent: { method: string; url: string; headers: Readonly<Record<string, string>>; body: string | undefined },
  ): Promise<SignInExchange> {
    this.#last += 1;
    const headers = Object.entries(sent.headers);
    const mediaType = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
    const exchange: SignInExchange = {
      id: this.#last,
      phase,
      round: this.#round,
      time: Date.now(),
      method: sent.method,
      url: maskUrl(sent.url),
      requestHeaders: headers.map(maskHeader),
      requestBody: sent.body === undefined ? '' : maskBody(sent.body, mediaType),
      status: null,
      responseHeaders: [],
      responseBody: '',
      took: null,
      error: null,
    };
    this.#exchanges.push(exchange);
    if (this.#exchanges.length > MAX_EXCHANGES) this.#exchanges.shift();
    this.#notify();
    await this.#gate.wait();
    this.#abort.signal.throwIfAborted();
    return this.#replace(exchange, { time: Date.now() });
  }

  #end(exchange: SignInExchange, status: number, headers: readonly (readonly [string, string])[], text: string): void {
    const mediaType = headers.find(([name]) => name === 'content-type')?.[1] ?? '';
    if (exchange.phase === 'challenge')
      this.#metadataUrl = /resource_metadata="?([^",\s]+)/i.exec(
        headers.find(([name]) => name === 'www-authenticate')?.[1] ?? '',
      )?.[1];
    this.#replace(exchange, {
      status,
      responseHeaders: headers.map(maskHeader),
      responseBody: maskBody(text, mediaType),
      took: Date.now() - exchange.time,
    });
  }

  #replace(exchange: SignInExchange, changes: Partial<SignInExchange>): SignInExchange {
    const index = this.#exchanges.findIndex(({ id }) => id === exchange.id);
    const changed = { ...(this.#exchanges[index] ?? exchange), ...changes };
    if (index >= 0) this.#exchanges[index] = changed;
    this.#notify();
    return changed;
  }

  #add(phase: SignInPhase, added: readonly FindingView[]): void {
    const ids = new Set(added.map(({ id }) => id));
    this.#findings = [...this.#findings.filter(({ id }) => !ids.has(id)), ...added.map(each => ({ ...each, phase }))];
  }

  #notify(): void {
    this.#options.onChange(this.view);
  }
}

async function readBody({ body }: AuthFetchResponse): Promise<string> {
  if (!body) return '';
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    if (value instanceof Uint8Array) text += decoder.decode(value, { stream: true });
    if (text.length > MAX_RESPONSE) {
      await reader.cancel();
      return text;
    }
  }
}

/** Maximum size of a response, in characters. The library refuses larger ones. */
const MAX_RESPONSE = 300_000;
