import { hasUnknownOutcome, isObject, withDetails } from '@tenon/base';
import { assumableCapabilities, protocolVersions, TenonError } from 'tenon';
import { isPolicyDenial } from './exit-codes.js';

/** Next step after a call that the server may have executed. */
export const CHECK_EFFECT = 'check the effect before you repeat the call';

/** Advice for a server that requires a token. The gateway admits callers by its own `--bearer-env`. */
const PASS_TOKEN =
  'pass a token: with --bearer-env NAME to a URL, with headers or auth in the entry of a configured server';

/** Next steps that name options of the command, for errors whose own hint names an option of the library. */
const HINTS: Readonly<Record<string, string>> = {
  'serve/port-taken': 'stop the other program, or choose another port with --port',
  'http/bad-url': `write an https: or http: URL without a user name and a password, and ${PASS_TOKEN}`,
  'config/input': 'run this in a terminal, or set a `default` for the input in the configuration',
  'host/too-many-connections': 'try again later, or raise --max of `tenon bridge`',
  'auth/no-client': 'register a client there manually, and pass its id with --client-id ID',
  'auth/registration':
    'register a client there manually, and pass its id with --client-id ID, and its redirect URI with --redirect-uri URI',
  'auth/foreign-endpoint': 'register a client there if you trust it, and pass its id with --client-id ID',
  'auth/other-issuer': 'register a client there, and pass its id with --client-id ID',
  'auth/no-keychain':
    'install @napi-rs/keyring beside the command and unlock the keychain, or store tokens in a file with --token-store file',
  'auth/rejected':
    'run `tenon logout TARGET` and sign in with an account that may use this server; if it still fails, ask its operator which authorization server and audience it accepts',
  'auth/needs-user': `run the command in a terminal without --no-input to sign in, or ${PASS_TOKEN}`,
  'connect/no-shared-version': 'update the older side, or remove --protocol-version',
  'call/too-many-rounds': 'report to the author of the server that it requests input too often',
  'call/not-in-version': 'see the protocol version of the server with `tenon list`',
  'task/unknown': 'list the tasks of the server with `tenon tasks TARGET`',
  'connect/no-known-version': 'pass a version of the server with --protocol-version',
  'connection/closed': 'run the command again, and check the effect first if it was a call',
  'connection/unresponsive': 'check that the server is running, and run the command again',
  'call/unanswered-request': 'run the command in a terminal, where you can answer the server',
  'answer/timeout': 'run the command again, and answer the question sooner',
  'peer/error':
    'read the message of the server: correct the arguments if they are the problem, else report it to the author of the server',
  'peer/invalid-result':
    'report it to the author of the server: `tenon doctor` lists such problems; if it was a call, it was executed: check its effect before you repeat it',
  'peer/deviation': 'report it to the author of the server: `tenon doctor` lists such problems',
  'host/start-timeout': 'raise `startTimeout` in the entry of the server, or check its startup',
  'lock/no-confirm': 'review the changes with `tenon lock`',
  'http/silent-stream': 'run the command again to receive changes',
  'http/listen-ended': 'run the command again to receive changes',
  'stdio/line-too-long': 'ask the author of the server to split the data into pages or links',
  'stdio/too-deep': 'ask the author of the server to send values with fewer levels',
  'stdio/queue-full': 'report it to the author of the server, which reads its input too slowly',
  'auth/no-issuer':
    'ask the operator of the server to name its authorization server; if you know it, pass --auth-exception issuer=URL, else a token with --bearer-env NAME',
  'auth/shared-redirect': 'register a client there, and pass its id with --client-id ID',
  'auth/too-many-sign-ins': 'try again later',
  'auth/insecure-server': 'use an https: URL, because others could read the token on the way',
  'auth/not-bound': 'report it to the operator of the authorization server: its tokens are not bound to a key',
  'auth/assertion': 'check the key and the id of the client, and the clock of this machine',
  'auth/unsafe-url': 'report it to the operator of the server: its metadata lead to a private network',
  'task/unreachable': 'ask for the task again with `tenon tasks TARGET result ID`',
};

/** Next steps for errors without a hint of their own. */
const FALLBACK_HINTS: Readonly<Record<string, string>> = {
  'answer/form': 'answer again with a value for each field that the message names',
  'answer/malformed': 'repeat the call, and answer with accept, decline or cancel',
  'auth/aborted': 'connect again, and finish the sign-in in the browser',
  'auth/failed': 'read the cause, and sign in again',
  'auth/no-issuer-metadata': `ask the operator of the authorization server to publish its metadata, or ${PASS_TOKEN}`,
  'auth/no-port': 'close programs that listen on loopback, and sign in again',
  'auth/bad-token': 'pass the token without quotes and spaces',
  'call/aborted': 'repeat the call if you still need its result',
  'call/ended': 'subscribe again',
  'call/inexact-argument': 'pass the integer as a text, or a smaller one',
  'call/unwritable': 'pass arguments that are JSON values',
  'config/unreadable': 'pass the path of a file that you may read',
  'config/syntax': 'correct the file at the line of the message',
  'connect/protocol-version': 'choose one of the versions that the message lists',
  'console/answered': 'see its answer in the messages of the call',
  'console/cancelled': 'repeat the call if you still need its result',
  'console/not-found': 'reload the page, because the command may be another version',
  'console/request': 'shorten the value or correct it, and send it again',
  'console/unknown': 'go to the list, and choose an entry that is still there',
  'host/no-such-server': 'choose one of the servers that the message lists',
  'http/interrupted': 'check that the server is still running; if it was a call, check its effect before you repeat it',
  'http/too-large': 'ask for less, such as one page or a filter',
  'http/unreachable': 'check the URL, and that the server is running',
  'mcpb/archive': 'download the bundle again, or ask its author for a smaller one',
  'mcpb/manifest': 'ask the author of the bundle for a valid manifest.json',
  'mcpb/platform': 'ask the author of the bundle for one that supports this platform',
  'recording/empty': 'record the connection again, with a client that sends requests',
  'recording/invalid': 'correct this line, or choose a file that `tenon record` or --wire has written',
  'recording/server': 'pass --server NAME with one of the servers that the message lists',
  'mock/server': 'pass --server NAME with one of the servers that the message lists',
  'mock/source': 'choose a file that `tenon record`, `tenon list --json` or `tenon lock` has written',
};

/** Next steps for errors of the operating system, by their code. Their messages name the file. */
const SYSTEM_HINTS: Readonly<Record<string, string>> = {
  ENOENT: 'check that the file and the working folder exist',
  EACCES: 'check that you may write this file and its folder',
  EPERM: 'check that you may write this file and its folder',
  EROFS: 'use a folder that is not read-only',
  ENOSPC: 'free space on the disk, and run the command again',
  EDQUOT: 'free space on the disk, and run the command again',
  ENOTDIR: 'check the path: a part of it is no folder',
  EISDIR: 'check the path: it is a folder',
  ELOOP: 'check the path: its links lead in a circle',
};

/** Returns the next step for an error without one. */
function getFallbackHint({ code, cause }: TenonError): string | undefined {
  const systemCode = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return FALLBACK_HINTS[code] ?? (code === 'internal/unexpected' ? SYSTEM_HINTS[systemCode] : undefined);
}

/** Next step if a server wrote text instead of the response. */
const NOISE_HINT =
  'examine the server with `tenon doctor`, because standard output of a server is for messages of the protocol only';
const REFUSED_TOKEN_HINT =
  'the server refused the token: pass a valid one for this server, or run `tenon logout TARGET` and sign in again';
const UNAUTHORIZED_HINT =
  'pass a token with --bearer-env NAME or --token-file FILE, or run the command in a terminal to sign in';
/** Next step after a call that the policy of a gateway or server has denied. */
export const POLICY_HINT =
  'ask the operator of the gateway, or change its policy: `tenon policy explain` shows the rule behind a decision';

/** Returns the next step for users of the command, if there is one. */
export function getHint(error: TenonError): string | undefined {
  const hint = findOwnHint(error);
  if (hint === undefined || hint === CHECK_EFFECT || !hasUnknownOutcome(error.data))
    return hint ?? error.hint ?? getFallbackHint(error);
  return `${CHECK_EFFECT}; then ${hint}`;
}

function findOwnHint(error: TenonError): string | undefined {
  if (isPolicyDenial(error.data)) return POLICY_HINT;
  if (error.code === 'peer/error' && isServerFailure(error.data)) return SERVER_FAILURE_HINT;
  if (error.code === 'call/outcome-unknown') return CHECK_EFFECT;
  if (error.rpcCode === URL_REQUIRED) return URL_REQUIRED_HINT;
  const { retryAfterMs } = error;
  if (retryAfterMs !== undefined) return `try again in ${Math.max(1, Math.ceil(retryAfterMs / 1000))} s`;
  if (error.code === 'call/timeout' && error.received !== undefined) return NOISE_HINT;
  if (error.code === 'call/timeout') {
    const option = error.hint?.includes('raise `totalTimeout`') ? '--total-timeout' : '--timeout';
    return `allow more time with ${option}`;
  }
  if (error.method === 'server/discover' && (error.status ?? 0) >= 408) return FAILED_PROBE_HINT;
  if (error.code === 'auth/issuer-mismatch') return createIssuerHint(error);
  if (error.code === 'auth/no-pkce' && error.received === 'none') return PKCE_HINT;
  if (error.code === 'stdio/exited') return createVariableHint(error.summary);
  if (error.code === 'call/not-offered') return createCapabilityHint(error);
  if (HINTS[error.code] !== undefined || error.status !== 401) return HINTS[error.code];
  return error.hint?.includes('signOut') ? REFUSED_TOKEN_HINT : UNAUTHORIZED_HINT;
}

/** Tells if the data of an error of a gateway names a server behind it that is unavailable, or that has not responded. */
const isServerFailure = (data: unknown): boolean =>
  isObject(data) &&
  (Array.isArray(data.unavailable) || (typeof data.server === 'string' && typeof data.code === 'string'));

const SERVER_FAILURE_HINT =
  'see the state of the servers with `tenon gateway status`, or ask the operator of the gateway';

/** Code of a server of 2025-11-25 that refuses a call until the user has visited a URL. */
const URL_REQUIRED = -32042;
const URL_REQUIRED_HINT =
  'check the host of each URL in `elicitations`, finish there in a browser, and run the command again';

/** Next step if a server fails when it is asked for its versions, which does not show that it has earlier ones only. */
const FAILED_PROBE_HINT = `try again later, or pass --protocol-version ${protocolVersions[1]} if the server has earlier versions only and always responds so`;

const PKCE_HINT =
  'ask the operator to announce PKCE, because an attacker could redeem an intercepted code without it; if you know that the authorization server verifies it, pass --auth-exception assumePkce';

function createIssuerHint({ expected, received }: TenonError): string {
  const isSlash = received === `${expected}/` || expected === `${received}/`;
  const exception = isSlash ? 'ignoreIssuerSlash' : 'issuer=URL';
  return `ask the operator to make both values identical, because an attacker could impersonate the authorization server otherwise; if you trust this server, pass --auth-exception ${exception}`;
}

/** Returns the next step for a capability that the server does not declare. It may have it all the same. */
function createCapabilityHint({ data }: TenonError): string {
  const capability = typeof data === 'object' && data !== null && 'capability' in data ? data.capability : undefined;
  const isAssumable = assumableCapabilities.some(each => each === capability);
  const advice = 'see what the server offers with `tenon list`';
  return isAssumable ? `${advice}; if it has ${capability} without declaring it, pass --assume ${capability}` : advice;
}

/** Matches lines about a setting that is missing. */
const MISSING_SETTING =
  /\b(?:missing|required?|requires|not set|unset|undefined|must be|set|provide|env|environment)\b/i;
/** Matches names of environment variables. */
const VARIABLE = /\b(?!ERR_)[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/;

/** Returns the next step for a server that ended because an environment variable is missing, by its last lines. */
function createVariableHint(summary: string): string | undefined {
  const [, ...lines] = summary.split('\n');
  const names = lines.flatMap(line => (MISSING_SETTING.test(line) ? (VARIABLE.exec(line) ?? []) : []));
  const name = names.find(each => each !== 'MODULE_NOT_FOUND');
  return name && `set the environment variable, and pass it to the server with --pass ${name} or --env ${name}=VALUE`;
}

/**
 * Returns the message of an error, with a next step for users of the command.
 *
 * @param hints Next steps by code that replace the usual ones.
 */
export function describeError(thrown: unknown, hints: Readonly<Record<string, string>> = {}): string {
  const error = TenonError.from(thrown);
  const hint =
    hints[error.code] ?? findOwnHint(error) ?? (error.hint === undefined ? getFallbackHint(error) : undefined);
  return hint === undefined ? error.message : withDetails(error, { hint }).message;
}
