import type { ChildProcess } from 'node:child_process';
import { encodeBase64Url, requireKnownOptions } from '@tenon/base';
import { classifyRequest } from '../../../protocol/negotiation/classify-request.js';
import type { RequestHandler } from '../../../protocol/request-handler.js';
import { dialects } from '../../../protocol/versions/index.js';
import { WORKER_KEY } from '../workers/current-worker.js';
import { type AttachedProcess, type ReplaceableServerOptions, ServerForwarder } from './server-forwarder.js';

/**
 * A server that runs in another process, which can be replaced while clients are connected. Sessions, open streams,
 * subscriptions, tasks and request states outlive the process.
 */
export interface ReplaceableServer extends RequestHandler {
  /** Environment variables that each process needs. */
  readonly env: Readonly<Record<string, string>>;
  /** Attaches a process that was started with an IPC channel. Call it before the process loads its server. */
  attach(process: ChildProcess): AttachedProcess;
  /** Fails requests with this message, while no process serves. */
  refuse(reason: string): void;
  /** Stops all processes. */
  close(): Promise<void>;
}

/** Creates a server that forwards to a process. Requests wait until the first process is active. */
export function createReplaceableServer(options: ReplaceableServerOptions = {}): ReplaceableServer {
  requireKnownOptions('createReplaceableServer', options, { drainTimeout: true, clock: true });
  const forwarder = new ServerForwarder(options);
  return {
    env: { [WORKER_KEY]: encodeBase64Url(crypto.getRandomValues(new Uint8Array(32))) },
    attach: process => forwarder.attach(process),
    refuse: reason => forwarder.refuse(reason),
    close: () => forwarder.close(),
    connect: (transport, connectOptions) => forwarder.connect(transport, connectOptions),
    classifyRequest: (request, versionHeader) => classifyRequest(request, dialects, versionHeader),
    answer: (request, _, io) => forwarder.answer(request, io),
  };
}
