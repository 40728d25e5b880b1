import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { type Clock, EXECUTED, parseJsonText, stringifyJson, systemClock, TenonError } from '@tenon/base';
import type { Finding } from '../../security/screening/finding.js';
import {
  type SCREENERS,
  type ScreenAside,
  type ScreenerName,
  type ScreeningJob,
  screenInTurns,
} from '../../security/screening/large-values.js';
import { MAX_SCAN_STEPS_ASIDE } from '../../security/screening/scan-steps.js';
import type { Screened } from '../../security/screening/screener.js';

/** Time after which the screening of a job is stopped, in milliseconds. */
const MAX_JOB_TIME = 60_000;
/** Time for a worker to load its packages, in milliseconds. */
const MAX_START_TIME = 20_000;
/** Time after which a worker is started again that was not ready in time or ended before, in milliseconds. */
const RESTART_PAUSE = 60_000;
/** Time after which an idle worker ends, in milliseconds. */
const IDLE_TIME = 30_000;

/** A job for the worker. Its values are JSON, which keeps long numbers. */
interface PostedJob {
  readonly screener: ScreenerName;
  readonly text: string;
  readonly options: object;
}

/** Results of a job: JSON of the values that have changed, by their positions. */
interface PostedResult {
  readonly changed: string;
  readonly findings: readonly (readonly Finding[])[];
}

type ScreeningMessage = 'ready' | PostedResult | { readonly error: string };

/** The port of the worker, and the modules that it uses. */
interface ScreeningEnvironment {
  readonly port: {
    postMessage(message: ScreeningMessage): void;
    on(event: 'message', listener: (job: PostedJob) => void): void;
  };
  readonly base: { parseJsonText(text: string): unknown; stringifyJson(value: unknown): string; keepIntegers(): void };
  readonly host: typeof SCREENERS;
}

/** The job that the worker does. */
interface RunningJob {
  readonly job: ScreeningJob;
  readonly resolve: (screened: Promise<readonly Screened<unknown>[]> | readonly Screened<unknown>[]) => void;
  readonly reject: (error: TenonError) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Creates a function that screens values in a worker thread, which starts with the first job, and does one job after the
 * other. Where the packages of the
 * worker cannot be found, as in a program that was bundled into one file, the thread of the host screens them.
 */
export function createScreeningWorker(
  resolve: (name: string) => string = createRequire(import.meta.url).resolve,
  clock: Clock = systemClock,
): ScreenAside {
  let worker: Worker | undefined;
  /** Time before which no worker is started. */
  let startableFrom = 0;
  let isReady = false;
  let idleTimer: NodeJS.Timeout | undefined;
  let running: RunningJob | undefined;
  let lastJob: Promise<unknown> = Promise.resolve();

  const takeRunning = (): RunningJob | undefined => {
    const found = running;
    running = undefined;
    clearTimeout(found?.timer);
    worker?.unref();
    idleTimer = setTimeout(stop, IDLE_TIME).unref();
    return found;
  };
  const stop = (): void => {
    void worker?.terminate();
    worker = undefined;
    isReady = false;
  };
  /** Ends the job. A worker that never was ready is started again after a pause, and this thread does its job. */
  const fail = (reason: string): void => {
    const wasReady = isReady;
    if (!wasReady) startableFrom = clock.elapsed() + RESTART_PAUSE;
    stop();
    const job = takeRunning();
    if (wasReady) job?.reject(createStoppedError(reason, job.job));
    else job?.resolve(screenInTurns(job.job));
  };
  const start = (): Worker => {
    const code = `(${runScreeningWorker.toString()})({
      port: require('node:worker_threads').parentPort,
      base: require(require('node:worker_threads').workerData.base),
      host: require(require('node:worker_threads').workerData.host),
    })`;
    const workerData = { base: resolve('@tenon/base'), host: resolve('@tenon/host') };
    const started = new Worker(code, { eval: true, workerData, env: {} });
    started.on('message', (message: ScreeningMessage) => {
      if (started !== worker) return;
      if (message === 'ready') isReady = true;
      else {
        const job = takeRunning();
        if ('error' in message) job?.reject(createStoppedError(message.error, job.job));
        else job?.resolve(mergeResult(job.job, message));
      }
    });
    clock.after(MAX_START_TIME, () => started === worker && !isReady && fail('it did not start'));
    started.on('error', error => started === worker && fail(error.message));
    started.on('exit', () => started === worker && fail('its thread ended'));
    return started;
  };

  const run = (job: ScreeningJob): Promise<readonly Screened<unknown>[]> =>
    new Promise((resolveJob, reject) => {
      try {
        if (clock.elapsed() >= startableFrom) worker ??= start();
      } catch {
        // The packages of the worker cannot be found in this process.
        startableFrom = Number.POSITIVE_INFINITY;
      }
      if (worker === undefined) return resolveJob(screenInTurns(job));
      clearTimeout(idleTimer);
      worker.ref();
      const timer = setTimeout(() => fail(`it takes more than ${MAX_JOB_TIME} ms`), MAX_JOB_TIME);
      running = { job, resolve: resolveJob, reject, timer };
      const { screener, values, options } = job;
      worker.postMessage({
        screener,
        text: stringifyJson(values),
        options: { ...options, maxSteps: MAX_SCAN_STEPS_ASIDE },
      } satisfies PostedJob);
    });

  return job => {
    const screened = lastJob.then(() => run(job));
    lastJob = screened.catch(() => {});
    return screened;
  };
}

/** Creates the error of a job that was stopped. A server has executed something only if the job has a result. */
function createStoppedError(reason: string, { screener }: ScreeningJob): TenonError {
  if (screener === 'screenResult')
    return new TenonError('screening/stopped', `the screening of a large value was stopped: ${reason}`, {
      hint: 'ask the server for less data, or set `screening: { results: false }` if you trust all servers',
      data: EXECUTED,
    });
  if (screener === 'screenError' || screener === 'screenInputRequest')
    return new TenonError('screening/stopped', `the screening of a large message was stopped: ${reason}`, {
      hint: 'ask the author of the server for shorter messages',
    });
  return new TenonError('screening/stopped', `the screening of large definitions was stopped: ${reason}`, {
    hint: 'request the list again, or ask the author of the server for shorter descriptions and schemas',
  });
}

function mergeResult({ values }: ScreeningJob, { changed, findings }: PostedResult): readonly Screened<unknown>[] {
  const replacements = new Map(parseJsonText(changed) as [index: number, value: unknown][]);
  return values.map((value, index) => ({
    value: replacements.has(index) ? replacements.get(index) : value,
    findings: findings[index] ?? [],
  }));
}

/** Runs in the worker, from its text: it uses nothing of this module. */
function runScreeningWorker({ port, base, host }: ScreeningEnvironment): void {
  base.keepIntegers();
  port.on('message', ({ screener, text, options }) => {
    try {
      const values = base.parseJsonText(text) as unknown[];
      const screened = values.map(value => host[screener](value as never, options));
      const changed = screened.flatMap(({ value }, index) => (value === values[index] ? [] : [[index, value]]));
      port.postMessage({
        changed: base.stringifyJson(changed),
        findings: screened.map(({ findings }) => findings),
      });
    } catch (error) {
      port.postMessage({ error: error instanceof Error ? error.message : String(error) });
    }
  });
  port.postMessage('ready');
}
