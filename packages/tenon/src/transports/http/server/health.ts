import { type Clock, redactSecrets, runWithTimeout, TenonError } from '@tenon/base';
import type { RequestHandler } from '../../../protocol/request-handler.js';
import type { Exchange } from './exchange.js';

/** Options of the health endpoints. They need no authorization, and their responses name no addresses and no errors. */
export interface HealthOptions {
  /**
   * Path that responds with 200 while the process runs.
   * @default `/healthz`
   */
  readonly live?: string | undefined;
  /**
   * Path that responds with 200 while the server can take requests, and otherwise with 503: while it drains, while its
   * durable stores do not respond, and while one of `checks` fails.
   * @default `/readyz`
   */
  readonly ready?: string | undefined;
  /**
   * Set to `false` if the server is ready while its stores do not respond, because its clients need no session.
   * @default `true`
   */
  readonly stores?: boolean | undefined;
  /**
   * Further checks of the server, by name. A check fails if it returns `false`, throws, or exceeds `timeout`. The names
   * of failed checks are in the response. A check of something that all replicas share takes all of them out at once.
   * @default none
   */
  readonly checks?: Readonly<Record<string, () => unknown>> | undefined;
  /**
   * Returns members that the response of `ready` contains in addition to `status`, such as counts. Everybody can read
   * them.
   * @default none
   */
  readonly getDetails?: (() => Readonly<Record<string, unknown>>) | undefined;
  /**
   * Maximum time for a check, in milliseconds.
   * @default 1,000
   */
  readonly timeout?: number | undefined;
}

/** The health endpoints of a server. */
export interface HealthEndpoints {
  /** True if a path belongs to these endpoints. */
  serves(path: string): boolean;
  /** Responds to a request for one of the paths. */
  handle(exchange: Exchange): void;
}

interface HealthContext {
  readonly clock: Clock;
  /** Reports a failed check. Only the operator gets it. */
  readonly report: (error: unknown) => void;
  readonly isDraining: () => boolean;
}

const DEFAULT_TIMEOUT = 1000;
/** Time for which the result of the checks is used again, in milliseconds. Probes then cost the stores little. */
const RESULT_TTL = 1000;
const HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' };

/** Creates the health endpoints, or returns `undefined` if they are off. */
export function createHealthEndpoints(
  health: boolean | HealthOptions | undefined,
  handler: RequestHandler,
  context: HealthContext,
): HealthEndpoints | undefined {
  if (!health) return undefined;
  const options = health === true ? {} : health;
  const { live = '/healthz', ready = '/readyz', getDetails } = options;
  if (live === ready || ![live, ready].every(path => path.startsWith('/')))
    throw new TenonError('serve/options', 'invalid option `health` of the HTTP server', {
      expected: 'two different paths that begin with "/"',
      received: `${live} and ${ready}`.slice(0, 80),
    });
  const findFailed = createReadinessCheck(options, handler, context);
  return {
    serves: path => path === live || path === ready,
    handle(exchange) {
      if (exchange.method !== 'GET' && exchange.method !== 'HEAD')
        return exchange.reply(405, undefined, { allow: 'GET, HEAD' });
      if (exchange.path === live) return reply(exchange, []);
      if (context.isDraining()) return reply(exchange, ['draining']);
      void findFailed().then(failed => {
        const unknownFormats = handler.getUnknownFormats?.() ?? [];
        // The server may start to drain while the checks run.
        reply(exchange, context.isDraining() ? ['draining'] : failed, {
          ...getDetails?.(),
          ...(unknownFormats.length > 0 && { unknownFormats }),
        });
      });
    },
  };
}

function reply(exchange: Exchange, failed: readonly string[], details: object = {}): void {
  if (exchange.clientClosed) return;
  const isReady = failed.length === 0;
  const body = JSON.stringify({ ...(isReady ? { status: 'ok' } : { status: 'unavailable', failed }), ...details });
  exchange.reply(isReady ? 200 : 503, exchange.method === 'HEAD' ? undefined : body, HEADERS);
}

/** Creates a function that returns the names of the failed checks. Probes at the same time share one run. */
function createReadinessCheck(
  { stores = true, checks = {}, timeout = DEFAULT_TIMEOUT }: HealthOptions,
  handler: RequestHandler,
  { clock, report }: HealthContext,
): () => Promise<readonly string[]> {
  const { checkStores } = handler;
  const entries = Object.entries({ ...(stores && checkStores && { stores: checkStores }), ...checks });
  let running: Promise<readonly string[]> | undefined;
  let last: { readonly failed: readonly string[]; readonly until: number } | undefined;

  const runCheck = async (name: string, check: () => unknown): Promise<string | undefined> => {
    const createError = (received: string, cause?: unknown) =>
      new TenonError('serve/not-ready', `the readiness check "${name}" failed`, {
        expected: `success within ${timeout} ms`,
        received,
        hint:
          (TenonError.is(cause) ? cause.hint : undefined) ??
          'correct the cause: the server is ready when the check succeeds',
        cause,
      });
    const onTimeout = () => {
      throw createError('no result in this time');
    };
    const wasFailing = last?.failed.includes(name);
    try {
      if ((await runWithTimeout(async () => check(), { clock, timeout, onTimeout })) !== false) return undefined;
      if (!wasFailing) report(createError('false'));
    } catch (error) {
      // A failure is reported once, although probes repeat the check.
      if (wasFailing) return name;
      if (!TenonError.is(error))
        report(createError(redactSecrets(error instanceof Error ? error.message : String(error)), error));
      else report(error.code === 'serve/not-ready' ? error : createError(`${error.code}: ${error.summary}`, error));
    }
    return name;
  };
  const runAll = async (): Promise<readonly string[]> => {
    const results = await Promise.all(entries.map(([name, check]) => runCheck(name, check)));
    const failed = results.filter(name => name !== undefined);
    last = { failed, until: clock.elapsed() + RESULT_TTL };
    return failed;
  };
  return async () => {
    if (last !== undefined && clock.elapsed() < last.until) return last.failed;
    running ??= runAll().finally(() => {
      running = undefined;
    });
    return running;
  };
}
