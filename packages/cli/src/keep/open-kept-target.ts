import { type HttpTarget, TenonError } from 'tenon';
import type { CliContext } from '../cli-context.js';
import type { ResolvedTarget } from '../target/resolve-target.js';
import type { TargetOptions } from '../target/target-options.js';
import { ensureDaemon } from './find-daemon.js';
import { createKeptTarget } from './kept-target.js';
import { createSocketFetch, requestDaemon } from './socket-request.js';

/**
 * Opens a server at the daemon, and returns the target that leads to it. Returns `undefined` if the server is to be
 * connected directly: it cannot be kept, or the daemon cannot connect to it. The direct connection then signs in, or
 * reports the error.
 */
export async function openKeptTarget(
  context: CliContext,
  resolved: ResolvedTarget,
  options: TargetOptions,
): Promise<HttpTarget | undefined> {
  const kept = options.protocolVersion === undefined ? createKeptTarget(context, resolved, options) : undefined;
  if (!kept) return undefined;
  try {
    const record = await ensureDaemon(context);
    const { path } = Object(await requestDaemon(record, 'POST', '/open', kept));
    return { url: `http://localhost${path}`, transport: 'http', fetch: createSocketFetch(record) };
  } catch (error) {
    const { code, message } = TenonError.from(error);
    if (code !== 'keep/refused') context.screen.note(`the server is not kept: ${message}`);
    return undefined;
  }
}
