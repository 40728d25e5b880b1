import { type Clock, runWithTimeout, type Stores, TenonError } from '@tenon/base';
import { createProcessChannel, createWorkerChannel, type MessagingProcess } from '../workers/messages.js';
import { serveStores } from '../workers/serve-stores.js';
import type { ChannelToServer, ListFingerprints, MessageFromServer, MessageToServer } from './messages.js';

/** Maximum time for a process to read its lists, in milliseconds. After it, all of them count as changed. */
const LISTS_TIMEOUT = 2000;
/** Time that a process has to exit after it was told to stop, in milliseconds. It is killed afterwards. */
const EXIT_TIMEOUT = 2000;

/** A process with an IPC channel, such as the result of `fork` of node:child_process. */
export interface ForkedProcess extends MessagingProcess {
  /** Exit code. `null` while the process runs, and if a signal ended it. */
  readonly exitCode: number | null;
  /** Signal that ended the process. `null` if none did. */
  readonly signalCode: string | null;
  /** Calls the listener when the process exits. */
  once(event: 'exit', listener: () => void): unknown;
  /** Kills the process. */
  kill(signal: 'SIGKILL'): boolean;
}

/** One process that runs the server. */
export class ServingProcess {
  /** Prefix of the IDs of its requests to clients. It differs from those of other processes. */
  readonly requestIdPrefix: string;
  readonly #process: ForkedProcess;
  readonly #channel: ChannelToServer;
  readonly #clock: Clock;
  readonly #endStores: () => void;
  readonly #exited: Promise<void>;
  #openRequests = 0;
  #onIdle: (() => void) | undefined;

  constructor(number: number, process: ForkedProcess, stores: Stores, clock: Clock) {
    this.requestIdPrefix = `${number}-`;
    this.#process = process;
    this.#clock = clock;
    this.#channel = createProcessChannel<MessageToServer, MessageFromServer>(process, 'server');
    this.#endStores = serveStores(stores, createWorkerChannel(process));
    this.#exited = new Promise(resolve => {
      if (this.hasExited) resolve();
      else process.once('exit', resolve);
    });
    void this.#exited.then(this.#endStores);
  }

  get hasExited(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null;
  }

  /** Resolves when the process has exited. */
  get exited(): Promise<void> {
    return this.#exited;
  }

  send(message: MessageToServer): void {
    this.#channel.send(message);
  }

  onMessage(listener: (message: MessageFromServer) => void): void {
    this.#channel.onMessage(listener);
  }

  /** Resolves when the process serves. Rejects when it exits before. */
  waitUntilReady(): Promise<void> {
    return new Promise((resolve, reject) => {
      const stopReading = this.#channel.onMessage(({ server }) => {
        if (server !== 'ready') return;
        stopReading();
        resolve();
      });
      void this.#exited.then(() =>
        reject(
          new TenonError('serve/process-ended', 'the process of the server ended before it served', {
            hint: 'call `serveParent` in the process',
          }),
        ),
      );
    });
  }

  /** Reads the lists of the server. Resolves with undefined if it cannot, or not in time. */
  readLists(): Promise<ListFingerprints | undefined> {
    const work = () =>
      new Promise<ListFingerprints | undefined>(resolve => {
        const stopReading = this.#channel.onMessage(message => {
          if (message.server !== 'lists') return;
          stopReading();
          resolve(message.lists);
        });
        void this.#exited.then(() => resolve(undefined));
        this.send({ server: 'read-lists' });
      });
    return runWithTimeout(work, { clock: this.#clock, timeout: LISTS_TIMEOUT, onTimeout: () => undefined });
  }

  /** Counts a request that the process handles. */
  hold(): void {
    this.#openRequests += 1;
  }

  /** Counts the end of a request. */
  release(): void {
    this.#openRequests -= 1;
    if (this.#openRequests === 0) this.#onIdle?.();
  }

  /** Waits for the open requests, at most for this time in milliseconds, and stops the process. */
  async retire(timeout: number): Promise<void> {
    await runWithTimeout(() => this.#waitUntilIdle(), { clock: this.#clock, timeout, onTimeout: () => undefined });
    await this.stop();
  }

  #waitUntilIdle(): Promise<void> {
    return new Promise(resolve => {
      this.#onIdle = resolve;
      if (this.#openRequests === 0) resolve();
      void this.#exited.then(resolve);
    });
  }

  /** Stops the process. */
  async stop(): Promise<void> {
    if (this.hasExited) return;
    this.send({ server: 'stop' });
    const onTimeout = () => void this.#process.kill('SIGKILL');
    await runWithTimeout(() => this.#exited, { clock: this.#clock, timeout: EXIT_TIMEOUT, hold: true, onTimeout });
    await this.#exited;
  }
}
