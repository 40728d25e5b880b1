import type { ServerSession } from '../../../protocol/request-handler.js';
import type { ParentTransport, SessionMessage } from './parent-transport.js';

/** A session of the server. Messages wait until the server has connected. */
export class ParentSession {
  readonly transport: ParentTransport;
  serverSession: ServerSession | undefined;
  #waiting: SessionMessage[] = [];

  constructor(transport: ParentTransport) {
    this.transport = transport;
  }

  start(serverSession: ServerSession): void {
    this.serverSession = serverSession;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const message of waiting) this.receive(message);
  }

  receive(message: SessionMessage): void {
    if (this.serverSession === undefined) this.#waiting.push(message);
    else if (message.server === 'end') this.serverSession.end();
    else if (message.server === 'end-listening') this.serverSession.endListening?.();
    else this.transport.receive(message);
  }
}
