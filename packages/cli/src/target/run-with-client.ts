import { type Client, type ClientOptions, connect, TenonError, version } from 'tenon';
import type { CliContext } from '../cli-context.js';
import type { OpenedDaemonTarget } from '../daemon/open-daemon-target.js';
import { describeError } from '../error-hints.js';
import { exitCodes } from '../exit-codes.js';
import { cancelQuestions } from '../questions/cancel-questions.js';
import type { WireOutput } from '../recording/wire-output.js';
import { explainFailure, isEchoedRequest } from './explain-failure.js';
import { getProtocolSettings, type ResolvedTarget, resolveTarget } from './resolve-target.js';
import { readTimeouts, type TargetOptions } from './target-options.js';
import type { TargetReference } from './target-reference.js';

/** Connection to the target of a command. */
export interface TargetConnection {
  readonly client: Client;
  readonly target: ResolvedTarget;
  /** Protocol version of the server. A command speaks another one with the daemon of `--keep`. */
  readonly protocolVersion: string;
  /** Aborted by Ctrl-C and by SIGTERM. A second one ends the process. */
  readonly signal: AbortSignal;
}

/**
 * Time to wait for the first response of a server, in milliseconds. Afterwards, the handshake of earlier protocol
 * versions is tried.
 */
const PROBE_TIMEOUT = 2000;

/** Connects to a target, runs the work of a command, and closes the connection. */
export async function runWithClient(
  context: CliContext,
  reference: TargetReference,
  options: TargetOptions,
  work: (connection: TargetConnection) => Promise<void>,
  handlers: Pick<ClientOptions, 'elicit' | 'elicitUrl' | 'extensions'> = {},
): Promise<void> {
  const target = await resolveTarget(context, reference, options);
  const wire = await openWire(context, target, options);
  const { signal, release } = listenForInterrupt();
  let daemonTarget: OpenedDaemonTarget | undefined;
  const explain = (error: unknown) => daemonTarget?.explainError(error) ?? TenonError.from(error);
  try {
    daemonTarget = await openKept(context, target, options);
    const client = await openClient(
      daemonTarget ? { ...target, target: daemonTarget.target } : target,
      options,
      { ...cancelQuestions, ...handlers, onMessage: wire?.onMessage },
      signal,
    );
    const stopReporting = reportErrors(context, client, explain);
    try {
      const { protocolVersion } = client.server;
      await work({ client, target, protocolVersion: daemonTarget?.protocolVersion ?? protocolVersion, signal });
    } finally {
      // A call that is still open would report that its connection is closed.
      stopReporting();
      await client.close();
    }
  } catch (error) {
    if (!signal.aborted) throw daemonTarget ? explain(error) : error;
    context.code = exitCodes.interrupted;
  } finally {
    context.screen.showStatus('');
    wire?.close();
    release();
  }
}

/**
 * Reports errors that no call reports. The end of a connection may be reported for the connection and for a request, with
 * other names.
 */
function reportErrors({ screen }: CliContext, client: Client, explain: (error: unknown) => TenonError): () => void {
  let last = '';
  const listeners = [
    client.on('state', state => {
      if (state === 'connected') last = '';
    }),
    client.on('error', error => {
      const explained = explain(error);
      const reason = [explained.code, explained.summary, explained.received].join();
      if (reason !== last) screen.note(`tenon: ${describeError(explained)}`, 'error');
      last = reason;
    }),
  ];
  return () => {
    for (const stop of listeners) stop();
  };
}

/** Opens a server at the daemon if the command has `--keep`. Returns `undefined` for a direct connection. */
async function openKept(context: CliContext, target: ResolvedTarget, options: TargetOptions) {
  if (!options.keep || context.env.TENON_KEEP === '0') return undefined;
  const { openDaemonTarget } = await import('../daemon/open-daemon-target.js');
  return openDaemonTarget(context, target, options);
}

/** Opens the outputs for the messages of the protocol. Returns `undefined` if there are none. */
export async function openWire(
  context: CliContext,
  server: ResolvedTarget,
  { wire, verbose = false }: TargetOptions,
): Promise<WireOutput | undefined> {
  if (wire === undefined && !verbose) return undefined;
  const { openWireOutput } = await import('../recording/wire-output.js');
  return openWireOutput(context, { file: wire, print: verbose, server });
}

/**
 * Opens a client. Rejects on Ctrl-C even if the server does not respond. The process ends soon afterwards, when the
 * server has stopped.
 */
async function openClient(
  resolved: ResolvedTarget,
  options: TargetOptions,
  handlers: Pick<ClientOptions, 'elicit' | 'elicitUrl' | 'extensions' | 'onMessage'>,
  signal: AbortSignal,
): Promise<Client> {
  const interrupted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([connectToTarget(resolved, options, handlers), interrupted]);
}

/**
 * Connects to a target with the timeouts and settings of a command.
 *
 * @throws TenonError with the cause of a failed connection.
 */
export async function connectToTarget(
  resolved: ResolvedTarget,
  options: Pick<TargetOptions, 'timeout' | 'totalTimeout' | 'protocolVersion' | 'assume'>,
  handlers: Omit<ClientOptions, 'protocolVersion' | 'probeTimeout' | 'strict' | 'assumeCapabilities'>,
): Promise<Client> {
  const { target } = resolved;
  const { timeout, totalTimeout } = options;
  const startTimeout =
    timeout === undefined && totalTimeout === undefined ? resolved.timeouts?.startTimeout : undefined;
  // A server at a URL may wait for a sign-in, so only the start of a process is limited.
  const limit =
    startTimeout !== undefined && 'command' in target
      ? (await import('@tenon/host')).limitStart(resolved.label, startTimeout)
      : {};
  let hasEcho = false;
  const onMessage: ClientOptions['onMessage'] = (from, message, relatedTo) => {
    hasEcho ||= from === 'server' && isEchoedRequest(message);
    handlers.onMessage?.(from, message, relatedTo);
  };
  const opening = connect(target, {
    name: 'tenon-cli',
    version,
    ...handlers,
    ...('command' in target ? { onMessage } : {}),
    ...readTimeouts(options, resolved.timeouts),
    ...limit,
    ...getProtocolSettings(resolved, options),
    probeTimeout: Math.min(PROBE_TIMEOUT, timeout ?? PROBE_TIMEOUT, totalTimeout ?? PROBE_TIMEOUT),
  });
  return opening.catch((error: unknown) => {
    throw explainFailure(error, hasEcho);
  });
}

/** Returns a signal that Ctrl-C and SIGTERM abort. A second one ends the process. */
export function listenForInterrupt(): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) process.exit(exitCodes.interrupted);
    controller.abort();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return {
    signal: controller.signal,
    release() {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
    },
  };
}
