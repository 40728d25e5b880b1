import type { Command } from 'commander';
import { DRAIN_TIMEOUT } from '../run-until-signal.js';
import { parseAddress, parseDurationOption } from './option-parsers.js';

/** Options of the end of a server, and of its health endpoints. */
export interface DrainOptions {
  /**
   * Time for which requests are accepted after a signal while `/readyz` responds with 503, in milliseconds.
   * @default 0
   */
  readonly drainDelay?: number;
  /**
   * Time for open calls to finish, in milliseconds.
   * @default 10,000
   */
  readonly drainTimeout?: number;
  readonly health: boolean;
}

/** Adds the options of the end of a server, and of its health endpoints. */
export function withDrain(command: Command): Command {
  return command
    .option(
      '--drain-delay <time>',
      'on SIGTERM, let /readyz fail for this time before new calls are refused',
      parseDurationOption,
    )
    .option(
      '--drain-timeout <time>',
      `time for open calls to finish (default: ${DRAIN_TIMEOUT / 1000}s)`,
      parseDurationOption,
    )
    .option('--no-health', 'do not serve /healthz and /readyz');
}

/** Returns the maximum time from the signal until open calls are cancelled, in milliseconds. */
export const toDrainTime = ({ drainDelay = 0, drainTimeout = DRAIN_TIMEOUT }: DrainOptions): number =>
  drainDelay + drainTimeout;

/** Adds the options that choose a store. */
export function withStore(command: Command, description: string): Command {
  return command
    .option('--store <url>', description)
    .option('--store-env <NAME>', 'environment variable with that URL, for a URL with a password')
    .option(
      '--keys-env <NAME>',
      'environment variable with the keys that all replicas share: ID:BASE64; Redis and Postgres need them',
    )
    .option('--keys-file <file>', 'file with these keys, one in each line; the first encrypts, all decrypt');
}

/** Adds the option that serves metrics. */
export const withMetrics = (command: Command): Command =>
  command.option(
    '--metrics [address]',
    'serve /metrics for Prometheus at this port or HOST:PORT (default: 127.0.0.1:9464)',
    parseAddress,
  );
