import { withDetails } from '@tenon/base';
import { type HttpTarget, TenonError } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { createSocketFetch } from '../sockets/socket-request.js';
import type { ResolvedTarget } from '../target/resolve-target.js';
import type { TargetOptions } from '../target/target-options.js';
import { requestDaemon } from './daemon-request.js';
import { createDaemonTarget } from './daemon-target.js';
import { ensureDaemon } from './find-daemon.js';

/** Server that the daemon keeps. */
export interface OpenedDaemonTarget {
  readonly target: HttpTarget;
  /** Protocol version of the server itself. */
  readonly protocolVersion: string | undefined;
  /** Returns an error with the name of the server in place of its URL at the daemon. */
  readonly explainError: (thrown: unknown) => TenonError;
}

/**
 * Opens a server at the daemon, and returns the target that leads to it. Returns `undefined` if the server is to be
 * connected directly: it cannot be kept, or the daemon cannot connect to it. The direct connection then signs in, or
 * reports the error.
 */
export async function openDaemonTarget(
  context: CliContext,
  resolved: ResolvedTarget,
  options: TargetOptions,
): Promise<OpenedDaemonTarget | undefined> {
  const request = options.protocolVersion === undefined ? createDaemonTarget(context, resolved, options) : undefined;
  if (!request) return undefined;
  try {
    const record = await ensureDaemon(context);
    const { path, protocolVersion } = Object(await requestDaemon(record, 'POST', '/open', request));
    const url = `http://localhost${path}`;
    return {
      target: { url, transport: 'http', fetch: createSocketFetch(record) },
      protocolVersion: typeof protocolVersion === 'string' ? protocolVersion : undefined,
      explainError: thrown => replaceUrl(thrown, url, resolved.label),
    };
  } catch (error) {
    const { code, message } = TenonError.from(error);
    if (code !== 'daemon/refused') context.screen.note(`the server is not kept: ${message}`);
    return undefined;
  }
}

function replaceUrl(thrown: unknown, url: string, label: string): TenonError {
  const error = TenonError.from(thrown);
  const replace = (text: string | undefined) => text?.replaceAll(url, label);
  const { summary, hint, peer, received } = error;
  return withDetails(error, {
    summary: summary.replaceAll(url, label),
    peer: replace(peer),
    received: replace(received),
    hint: replace(hint),
  });
}
