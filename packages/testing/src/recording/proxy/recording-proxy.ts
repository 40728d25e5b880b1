import { checkFunction, checkObject, type OptionChecks, requireOptions, type TenonError } from '@tenon/base';
import type { RequestHandler, Transport } from 'tenon';
import {
  classifyRequest,
  dialects,
  type JsonRpcRequest,
  type JsonRpcResponse,
  type RequestIO,
} from 'tenon/testing-internals';
import { optionalFunction } from '../../option-checks.js';
import type { Recorder } from '../recorder.js';
import { ProxySession } from './proxy-session.js';
import { StatelessProxy } from './stateless-proxy.js';

/** Options of `createRecordingProxy`. */
export interface RecordingProxyOptions {
  /** Opens a connection to the recorded server. Called once for each session, and once for all stateless requests. */
  readonly openUpstream: () => Transport | Promise<Transport>;
  /** Writes the messages. */
  readonly recorder: Recorder;
  /**
   * Called for errors that no message reports.
   * @default nothing is called
   */
  readonly onError?: ((error: TenonError) => void) | undefined;
}

/** Server that forwards each message to another server, and records it. */
export interface RecordingProxy extends RequestHandler {
  /** Closes all connections to the recorded server. */
  close(): Promise<void>;
}

/**
 * Creates a server that forwards each message to another server without a change, and records it. Both sides must have
 * a common protocol version.
 */
export function createRecordingProxy(options: RecordingProxyOptions): RecordingProxy {
  const checks: OptionChecks<RecordingProxyOptions> = {
    openUpstream: checkFunction,
    recorder: checkObject({ openSession: checkFunction }),
    onError: optionalFunction,
  };
  requireOptions('createRecordingProxy', options, checks, 'options/invalid');
  const sessions = new Set<ProxySession>();
  let stateless: StatelessProxy | undefined;
  return {
    classifyRequest: (request, versionHeader) => classifyRequest(request, dialects, versionHeader),
    async connect(transport: Transport) {
      const session = new ProxySession(transport, await options.openUpstream(), {
        recorder: options.recorder.openSession(),
        onError: error => options.onError?.(error),
        onEnd: () => sessions.delete(session),
      });
      sessions.add(session);
      await session.open();
      return session;
    },
    answer(request: JsonRpcRequest, _route: unknown, io: RequestIO): Promise<JsonRpcResponse> {
      stateless ??= new StatelessProxy(options);
      return stateless.answer(request, io);
    },
    async close() {
      await Promise.all([...sessions].map(session => session.close()));
      await stateless?.close();
    },
  };
}
