import { type Client, type ClientOptions, connect, type ProtocolVersion, version } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { exitCodes } from '../exit-codes.js';
import { type ResolvedTarget, resolveTarget } from './resolve-target.js';
import type { TargetOptions } from './target-options.js';
import type { TargetReference } from './target-reference.js';

/** A connection to the target of a command. */
export interface TargetConnection {
  readonly client: Client;
  readonly target: ResolvedTarget;
  /** Aborted by Ctrl-C. A second Ctrl-C ends the process. */
  readonly signal: AbortSignal;
}

/** Time to wait for the first response of a server before the handshake of earlier versions is tried, in milliseconds. */
const PROBE_TIMEOUT = 2000;

/** Connects to a target, runs the work of a command, and closes the connection. */
export async function runWithClient(
  context: CliContext,
  reference: TargetReference,
  options: TargetOptions,
  work: (connection: TargetConnection) => Promise<void>,
  handlers: Pick<ClientOptions, 'elicit' | 'elicitUrl'> = {},
): Promise<void> {
  if (options.input === false) context.terminal.releaseStdin();
  const target = await resolveTarget(context, reference, options);
  const { signal, release } = listenForInterrupt();
  try {
    const client = await openClient(target, options, handlers, signal);
    const stopReporting = client.on('error', error => context.screen.note(`${error.code}: ${error.message}`));
    try {
      await work({ client, target, signal });
    } finally {
      // A call that is left open reports that its connection is closed.
      stopReporting();
      await client.close();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    context.code = exitCodes.interrupted;
  } finally {
    context.screen.showStatus('');
    release();
  }
}

/** Rejects at Ctrl-C also while the server does not respond. The process ends soon afterwards, and the connection with it. */
async function openClient(
  { target }: ResolvedTarget,
  { timeout, protocolVersion }: TargetOptions,
  handlers: Pick<ClientOptions, 'elicit' | 'elicitUrl'>,
  signal: AbortSignal,
): Promise<Client> {
  const limits = timeout === undefined ? {} : { idleTimeout: timeout, totalTimeout: timeout };
  const opening = connect(target, {
    name: 'tenon-cli',
    version,
    ...handlers,
    ...limits,
    probeTimeout: Math.min(PROBE_TIMEOUT, timeout ?? PROBE_TIMEOUT),
    ...(protocolVersion === undefined ? {} : { protocolVersion: protocolVersion as ProtocolVersion }),
  });
  const interrupted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([opening, interrupted]);
}

function listenForInterrupt(): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) process.exit(exitCodes.interrupted);
    controller.abort();
  };
  process.on('SIGINT', stop);
  return { signal: controller.signal, release: () => process.off('SIGINT', stop) };
}
