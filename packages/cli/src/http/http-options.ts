import { type Command, Option } from 'commander';
import type { AuthExceptions, PrivateJwk } from 'tenon/auth';
import type { LoopbackOptions } from 'tenon/auth/node';
import { withBearer } from '../options/auth-options.js';
import { createPairParser, parseAuthException, parseRedirectUri } from '../options/option-parsers.js';
import { TOKEN_STORES, type TokenStoreKind } from './token-store-kind.js';

/** Sources of the token for a server at a URL. */
export type TokenSource = 'none' | 'stored' | 'browser' | 'device' | 'client-credentials';

/** OAuth client to sign in as: its ID, and a secret or a key. Without an ID the client registers itself. */
export interface OAuthClient {
  readonly id?: string;
  readonly secret?: string;
  readonly key?: string | PrivateJwk;
}

/** Options of commands that send requests to a server at a URL. */
export interface HttpOptions {
  readonly header?: Record<string, string>;
  readonly headerFile?: string;
  readonly bearerEnv?: string;
  readonly tokenFile?: string;
  readonly auth?: TokenSource;
  readonly clientId?: string;
  readonly clientSecretEnv?: string;
  readonly clientSecretFile?: string;
  readonly clientKeyFile?: string;
  readonly redirectUri?: LoopbackOptions;
  readonly printUrl?: boolean;
  readonly authException?: AuthExceptions;
  /** Token store, if it is not that of the variable `TENON_TOKEN_STORE`. */
  readonly tokenStore?: TokenStoreKind;
  readonly transport?: 'http' | 'http-sse';
  /** False if the command never asks the user. */
  readonly input?: boolean;
}

const TOKEN_SOURCES: readonly TokenSource[] = ['none', 'stored', 'browser', 'device', 'client-credentials'];

/** Texts that differ between commands. */
export interface HttpOptionTexts {
  /** Help of `--bearer-env`. */
  readonly bearer: string;
  /**
   * Default of `--auth`.
   * @default browser in a terminal, else stored
   */
  readonly defaultAuth?: string;
}

/** Adds the options for headers, tokens and the sign-in. No option takes a secret itself. */
export function withHttpOptions(
  command: Command,
  { bearer, defaultAuth = 'browser in a terminal, else stored' }: HttpOptionTexts,
): Command {
  command.option(
    '-H, --header <header>',
    `header of every request, as 'Name: value'; \${VARIABLE} in it is replaced; repeatable`,
    createPairParser('--header', 'Name: value'),
  );
  command.option('--header-file <file>', 'file with more headers, one in each line; - for standard input');
  return withBearer(command, bearer)
    .option('--token-file <file>', 'file with a token to send; - for standard input')
    .addOption(
      new Option(
        '--auth <how>',
        `token to use: none, that of an earlier sign-in, or sign in (default: ${defaultAuth})`,
      ).choices(TOKEN_SOURCES),
    )
    .option('--client-id <id>', 'OAuth client ID to sign in with, if the client is registered already')
    .option('--client-secret-env <VARIABLE>', 'environment variable with the client secret')
    .option('--client-secret-file <file>', 'file with the client secret')
    .option(
      '--redirect-uri <url>',
      'redirect URI that you registered for the client, on this machine (default: http://127.0.0.1/callback, at any port)',
      parseRedirectUri,
    )
    .option('--client-key-file <file>', 'file with the private key of the client: PEM or JWK')
    .option(
      '--auth-exception <name>',
      'accept what an authorization server does against the specification: ignoreIssuerSlash, issuer=URL, omitResource, sendScopeOnRefresh or assumePkce; removes a protection; repeatable',
      parseAuthException,
    )
    .option('--print-url', 'sign in without opening a browser: show the URL, and paste the final address')
    .addOption(
      new Option(
        '--token-store <where>',
        'place of stored tokens: a file, or a file whose key is in the keychain of the system (default: TENON_TOKEN_STORE, else file)',
      ).choices(TOKEN_STORES),
    )
    .addOption(new Option('--transport <name>', 'use only this transport').choices(['http', 'http-sse']));
}

/** Tells which of the options were given that no server without a URL can use. */
export function findHttpOption(options: HttpOptions): string | undefined {
  const { header, headerFile, bearerEnv, tokenFile } = options;
  const given = {
    '--header': header,
    '--header-file': headerFile,
    '--bearer-env': bearerEnv,
    '--token-file': tokenFile,
  };
  return Object.entries(given).find(([, value]) => value !== undefined)?.[0];
}
