import cluster, { type Worker } from 'node:cluster';
import { isObject, runWithTimeout, systemClock } from '@tenon/base';

/** Member of the messages about metrics between the primary process and its workers. */
const MEMBER = 'tenonMetrics';
/** Message of a worker whose metrics cannot be collected. */
const FAILED = false;
/** Time that a worker has to send its metrics, in milliseconds. Prometheus waits for 10 seconds by default. */
const TIMEOUT = 5000;

/** Metrics of one worker, in the text format of Prometheus. */
export interface WorkerMetrics {
  /** Number of the worker from 1 on. A worker that replaces another one takes its number. */
  readonly worker: number;
  readonly text: string;
}

/** The workers of this process that send metrics. */
export interface MeasuredWorkers {
  readonly size: number;
  /** Collects the metrics of all workers. A worker that ends, fails or does not respond in time is left out. */
  collect(): Promise<readonly WorkerMetrics[]>;
  close(): void;
}

/**
 * Sends the metrics of this worker to the primary process whenever it requests them. If they cannot be collected, the
 * primary process leaves them out.
 */
export function sendToPrimary(collect: () => Promise<string>, onError: (error: unknown) => void): void {
  const send = (value: unknown) => process.send?.({ [MEMBER]: value }, () => {});
  process.on('message', message => {
    if (readMember(message) !== 'collect') return;
    collect().then(send, (error: unknown) => {
      send(FAILED);
      onError(error);
    });
  });
  send('ready');
}

/** Collects metrics of the workers that {@link sendToPrimary}. */
export function collectFromWorkers(): MeasuredWorkers {
  const numbers = new Map<Worker, number>();
  const waiting = new Map<Worker, ((text: string | undefined) => void)[]>();
  const settle = (worker: Worker, text?: string) => {
    const resolvers = waiting.get(worker) ?? [];
    waiting.delete(worker);
    for (const resolve of resolvers) resolve(text);
  };
  const receive = (worker: Worker, message: unknown) => {
    const value = readMember(message);
    if (value === FAILED) return settle(worker);
    if (typeof value !== 'string') return;
    if (value !== 'ready') return settle(worker, value);
    const taken = new Set(numbers.values());
    let number = 1;
    while (taken.has(number)) number += 1;
    numbers.set(worker, number);
  };
  const remove = (worker: Worker) => {
    numbers.delete(worker);
    settle(worker);
  };
  cluster.on('message', receive);
  cluster.on('disconnect', remove);
  const request = (worker: Worker): Promise<string | undefined> =>
    runWithTimeout(
      () =>
        new Promise<string | undefined>(resolve => {
          const resolvers = waiting.get(worker);
          waiting.set(worker, [...(resolvers ?? []), resolve]);
          if (resolvers === undefined) {
            worker.send({ [MEMBER]: 'collect' }, error => {
              if (error) settle(worker);
            });
          }
        }),
      { clock: systemClock, timeout: TIMEOUT, onTimeout: () => undefined },
    );
  return {
    get size() {
      return numbers.size;
    },
    async collect() {
      const collected = await Promise.all(
        [...numbers].map(async ([worker, number]) => ({ worker: number, text: await request(worker) })),
      );
      return collected.flatMap(({ worker, text }) => (text === undefined ? [] : [{ worker, text }]));
    },
    close() {
      cluster.off('message', receive);
      cluster.off('disconnect', remove);
    },
  };
}

const readMember = (message: unknown): unknown => (isObject(message) ? message[MEMBER] : undefined);

/**
 * Merges the metrics of workers into one text. Each sample gets the label `worker`, because the counters of a worker
 * that replaces another one begin at 0: a sum would seem to fall.
 */
export function mergeMetrics(metrics: readonly WorkerMetrics[]): string {
  const families = new Map<string, Set<string>>();
  for (const { worker, text } of metrics) {
    let lines: Set<string> | undefined;
    for (const line of text.split('\n')) {
      const name = /^# [A-Z]+ (\S+)/.exec(line)?.[1];
      if (name === undefined) {
        if (line !== '')
          lines?.add(
            line.replace(/^([\w:]+)(?:\{|(?= ))/, (sample, metric: string) => addLabel(sample, metric, worker)),
          );
        continue;
      }
      lines = families.get(name) ?? new Set();
      families.set(name, lines.add(line));
    }
  }
  return [...families.values()].flatMap(lines => [...lines].map(line => `${line}\n`)).join('');
}

const addLabel = (sample: string, metric: string, worker: number): string =>
  `${metric}{worker="${worker}"${sample.endsWith('{') ? ',' : '}'}`;
