import {
  Client,
  type ClientOptions,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import type { Redirect, RedirectAttempt } from 'tenon/auth';

/** The official client v2, with a user who signs in when it is wanted. */
export interface OfficialClient {
  readonly client: Client;
  connect(): Promise<void>;
  /** Calls a tool, after signing in where that is needed. */
  call(name: string): Promise<unknown>;
  /** The scopes for which the user was sent to the authorization server. */
  readonly requests: string[];
  /** The tokens that it got. */
  readonly saved: StoredOAuthTokens[];
  close(): Promise<void>;
}

export interface VisitorOptions extends ClientOptions {
  /** Registers the client by hand. Default: it registers itself. */
  readonly register?: (redirectUri: string) => Promise<StoredOAuthClientInformation>;
}

/** What the client keeps, and how it reaches the user. */
async function createProvider(
  redirect: Redirect,
  register: VisitorOptions['register'],
  requests: string[],
  saved: StoredOAuthTokens[],
) {
  const { signal } = new AbortController();
  let attempt: RedirectAttempt = await redirect.begin([], signal);
  let back: Promise<URL | string> | undefined;
  let client = await register?.(attempt.uri);
  let discovered: OAuthDiscoveryState | undefined;
  let verifier = '';
  const provider: OAuthClientProvider = {
    redirectUrl: attempt.uri,
    clientMetadata: {
      redirect_uris: [attempt.uri],
      client_name: 'the official client',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
    },
    state: () => crypto.randomUUID(),
    clientInformation: () => client,
    saveClientInformation(information) {
      client = information;
    },
    tokens: () => saved.at(-1),
    saveTokens: tokens => void saved.push(tokens),
    redirectToAuthorization(url) {
      requests.push(url.searchParams.get('scope') ?? '');
      back = attempt.authorize(url, signal);
    },
    saveCodeVerifier(text) {
      verifier = text;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState(state) {
      discovered = state;
    },
    discoveryState: () => discovered,
  };
  /** Where the user has come back to. The same way is good for the next sign-in. */
  const returned = async () => {
    if (back === undefined) throw new Error('nobody was sent to sign in');
    const url = new URL(await back);
    await attempt.close();
    attempt = await redirect.begin([attempt.uri], signal);
    back = undefined;
    return url.searchParams;
  };
  return { provider, returned, close: () => attempt.close() };
}

export async function createOfficialClient(
  url: string,
  redirect: Redirect,
  { register, ...options }: VisitorOptions = {},
): Promise<OfficialClient> {
  const requests: string[] = [];
  const saved: StoredOAuthTokens[] = [];
  const { provider, returned, close } = await createProvider(redirect, register, requests, saved);
  const client = new Client({ name: 'official', version: '2.4.0' }, options);
  let transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: provider });
  const signedIn = async <T>(run: () => Promise<T>, again: () => Promise<T>): Promise<T> => {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof UnauthorizedError)) throw error;
      await transport.finishAuth(await returned());
      return again();
    }
  };
  return {
    client,
    requests,
    saved,
    connect: () =>
      signedIn(
        () => client.connect(transport),
        () => {
          transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: provider });
          return client.connect(transport);
        },
      ),
    call(name) {
      const call = () => client.callTool({ name });
      return signedIn(call, call);
    },
    async close() {
      await client.close();
      await close();
    },
  };
}
