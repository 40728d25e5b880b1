import type { Cluster, Worker } from 'node:cluster';
import { encodeBase64Url, systemClock, TenonError } from '@tenon/base';
import { memoryStores } from '../../../stores/memory-stores.js';
import type { CloseOptions } from '../../../transports/http/server/endpoint.js';
import { WORKER_KEY } from './current-worker.js';
import { createWorkerChannel, fromSentError, type WorkerChannel, type WorkerMessage } from './messages.js';
import { serveStores } from './serve-stores.js';

/** Address on which the workers listen. */
export type WorkerAddress = Omit<Extract<WorkerMessage, { tenon: 'listening' }>, 'tenon'>;

/** First delay before a worker that ended is replaced, in milliseconds. It doubles with each that ends early. */
const MIN_DELAY = 100;
const MAX_DELAY = 10_000;
/** Time after which a worker no longer counts as one that ended early, in milliseconds. */
const STABLE_AFTER = 10_000;
/** Default time for open requests when the workers close, in milliseconds. */
const CLOSE_TIMEOUT = 10_000;
/** Time that a worker has to exit after it closed, and after SIGTERM, in milliseconds. */
const EXIT_TIMEOUT = 2000;

interface PoolMember {
  readonly channel: WorkerChannel;
  readonly startedAt: number;
}

/** The workers of this program. Replaces those that end. */
export class WorkerPool {
  readonly #cluster: Cluster;
  readonly #count: number;
  readonly #onError: (error: TenonError) => void;
  readonly #stores = memoryStores({ onError: error => this.#onError(error) });
  readonly #members = new Map<Worker, PoolMember>();
  readonly #key = encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)));
  readonly #listening = new Set<Worker>();
  #isClosing = false;
  #isStarted = false;
  #delay = MIN_DELAY;
  #cancelFork: (() => void) | undefined;
  #resolveStart: (address: WorkerAddress) => void = () => {};
  #rejectStart: (error: TenonError) => void = () => {};

  constructor(cluster: Cluster, count: number, onError: (error: TenonError) => void) {
    this.#cluster = cluster;
    this.#count = count;
    this.#onError = onError;
  }

  /** Resolves when all workers listen. Rejects with the error of the first that cannot. */
  async start(): Promise<WorkerAddress> {
    // Copies of values, as the stores give them, keep members that JSON cannot say.
    this.#cluster.setupPrimary({ serialization: 'advanced' });
    const started = new Promise<WorkerAddress>((resolve, reject) => {
      this.#resolveStart = resolve;
      this.#rejectStart = reject;
    });
    for (let n = 0; n < this.#count; n += 1) this.#startWorker();
    try {
      const address = await started;
      this.#isStarted = true;
      return address;
    } catch (error) {
      await this.close({ timeout: 0 });
      throw error;
    }
  }

  /** Closes all workers: each completes its open requests, then exits. */
  async close({ timeout = CLOSE_TIMEOUT, delay = 0 }: CloseOptions = {}): Promise<void> {
    this.#isClosing = true;
    this.#cancelFork?.();
    await Promise.all(
      [...this.#members].map(([worker, { channel }]) => endWorker(worker, channel, { timeout, delay })),
    );
    await this.#stores.close();
  }

  #startWorker(): void {
    const worker = this.#cluster.fork({ [WORKER_KEY]: this.#key });
    const channel = createWorkerChannel(worker.process as Parameters<typeof createWorkerChannel>[0]);
    const endStores = serveStores(this.#stores, channel);
    this.#members.set(worker, { channel, startedAt: systemClock.elapsed() });
    channel.onMessage(message => this.#handleMessage(worker, message));
    worker.once('exit', (code, signal) => {
      endStores();
      this.#handleExit(worker, signal ?? `exit code ${code}`);
    });
  }

  #handleMessage(worker: Worker, message: WorkerMessage): void {
    if (message.tenon === 'failed') this.#rejectStart(fromSentError(message.error));
    if (message.tenon !== 'listening') return;
    this.#listening.add(worker);
    const { url, sseUrl, port } = message;
    if (this.#listening.size === this.#count) this.#resolveStart({ url, sseUrl, port });
  }

  #handleExit(worker: Worker, reason: string): void {
    const age = systemClock.elapsed() - (this.#members.get(worker)?.startedAt ?? 0);
    this.#members.delete(worker);
    this.#listening.delete(worker);
    if (this.#isClosing) return;
    this.#delay = age < STABLE_AFTER ? Math.min(this.#delay * 2, MAX_DELAY) : MIN_DELAY;
    const next = this.#isStarted ? `another worker starts in ${this.#delay} ms; ` : '';
    const error = new TenonError('serve/worker', 'a worker of serveHttp ended', {
      expected: 'workers that run until `close` is called',
      received: reason,
      hint: `${next}read the output of the worker for the cause`,
    });
    if (!this.#isStarted) return this.#rejectStart(error);
    this.#onError(error);
    this.#cancelFork = systemClock.after(this.#delay, () => this.#replaceWorkers(), { hold: true });
  }

  #replaceWorkers(): void {
    while (!this.#isClosing && this.#members.size < this.#count) this.#startWorker();
  }
}

/** Ends a worker: by message, by SIGTERM when it does not exit, and then by SIGKILL. */
function endWorker(
  worker: Worker,
  channel: WorkerChannel,
  { timeout, delay }: Required<{ [K in keyof CloseOptions]: number }>,
): Promise<void> {
  return new Promise(resolve => {
    const send = (signal: NodeJS.Signals) => () => worker.process.kill(signal);
    const timers: (() => void)[] = [];
    const sendSignals = (delay: number) =>
      timers.push(
        systemClock.after(delay, send('SIGTERM'), { hold: true }),
        systemClock.after(delay + EXIT_TIMEOUT, send('SIGKILL'), { hold: true }),
      );
    worker.once('exit', () => {
      for (const cancel of timers) cancel();
      resolve();
    });
    if (worker.isDead()) return resolve();
    channel.onMessage(({ tenon }) => {
      if (tenon === 'closed') sendSignals(EXIT_TIMEOUT);
    });
    sendSignals(delay + timeout + EXIT_TIMEOUT);
    channel.send({ tenon: 'close', timeout, delay });
  });
}
