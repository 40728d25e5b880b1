import { TenonError } from '@tenon/base';
import { describePublicly, SERVICE_ACCOUNT_ADVICE } from './public-error-text.js';

/**
 * Creates the error of a server that made no progress in time at its start.
 *
 * @param startTimeout Time limit, in milliseconds.
 */
export function createStartTimeoutError(server: string, startTimeout: number): TenonError {
  const summary = `the server "${server}" timed out at startup: no progress within its \`startTimeout\` of ${startTimeout} ms`;
  return new TenonError('host/start-timeout', summary, {
    hint: 'raise `startTimeout` of the server, or check its startup. `timeout` limits calls only',
  });
}

/** Creates the error of a call to a server for which a page waits in a browser that a person at the host has to use. */
export function createSignInWaitError(server: string): TenonError {
  const summary = `the server "${server}" waits for a sign-in in a browser on the machine of the host. ${SERVICE_ACCOUNT_ADVICE}`;
  return new TenonError('host/sign-in-pending', summary, {
    hint: 'sign in on the page that is open there, and try again',
  });
}

/**
 * Creates the error of a call during the delay after failed connection attempts.
 *
 * @param remaining Remaining delay, in milliseconds.
 */
export function createBackoffError(lastError: TenonError | undefined, remaining: number): TenonError {
  return new TenonError(
    'host/backoff',
    lastError ? describePublicly(lastError) : 'the connection to the server failed',
    {
      hint: `try again in ${Math.ceil(remaining / 1000)} s`,
      cause: lastError,
      retryAfterMs: Math.ceil(remaining),
    },
  );
}

/** Creates the error of a call on a connection that was closed, also during its setup. */
export function createClosedConnectionError(server: string): TenonError {
  return new TenonError('host/closed', `the connection to the server "${server}" is closed`, {
    hint: 'create a new host',
  });
}

/** Creates the error for a name that no server of the host has. */
export function createUnknownServerError(server: string, known: readonly string[]): TenonError {
  return new TenonError('host/no-such-server', `server "${server}" not found`, {
    expected: known.join(', ') || 'no name, because no server is configured',
  });
}

/** Creates the error of a connection that was lost. */
export function createLostError(server: string, reason: string): TenonError {
  return new TenonError('host/lost', `the server "${server}" ${reason}`, { hint: 'check the log of the server' });
}

/** Creates the error that reports messages over the rate limit. */
export function createFloodError(server: string, kind: string): TenonError {
  return new TenonError('host/flood', `the server "${server}" sends too many ${kind}`, {
    hint: 'change the server to send fewer, because the others are dropped',
  });
}
