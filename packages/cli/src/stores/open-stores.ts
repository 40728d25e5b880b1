import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseUrl } from '@tenon/base';
import { type SealKey, type Stores, sealStores, TenonError } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { logError } from '../serving/log-error.js';
import { createUsageError, readVariable } from '../usage-error.js';
import { readSealKeys } from './seal-keys.js';

/** Options that choose a store. */
export interface StoreOptions {
  /** URL of Redis or Postgres, `sqlite:PATH`, or the path of an SQLite file. */
  readonly store?: string;
  /** Name of the environment variable with that URL. */
  readonly storeEnv?: string;
  /** Name of the environment variable with the keys that encrypt what is stored on another machine. */
  readonly keysEnv?: string;
  /** Path of a file with these keys. */
  readonly keysFile?: string;
  /** Prefix of Redis, or schema of Postgres. Absent: that of the library. */
  readonly prefix?: string;
}

const EXPECTED =
  'redis://HOST, rediss://HOST, redis+sentinel://HOST,HOST/GROUP, postgres://HOST/DATABASE, sqlite:PATH or a path';
/** Matches the URL of a store that runs on another machine. */
const REMOTE = /^(rediss?(\+sentinel)?|postgres|postgresql):\/\//i;
/** Matches the scheme of a URL. A drive letter of Windows is not one. */
const URL_SCHEME = /^([a-z][a-z0-9+.-]+):/i;

/**
 * Opens the stores that the options name, and encrypts what leaves this machine. Returns `undefined` if the options name
 * none.
 */
export async function openSealedStores(
  context: CliContext,
  options: StoreOptions,
  keys: readonly SealKey[] | undefined,
): Promise<Stores | undefined> {
  const stores = await openStores(context, options);
  if (stores?.remote !== true || keys === undefined) return stores;
  return sealStores(stores, { keys, onError: error => logError(context.screen, error) });
}

/**
 * Opens the stores of a gateway for a command that reads or changes them.
 * @throws TenonError `cli/no-store` if the file of the stores does not exist.
 */
export async function openGatewayStores(context: CliContext, options: StoreOptions): Promise<Stores> {
  const path = findPath(context, options);
  if (path !== undefined && !existsSync(path)) {
    throw new TenonError('cli/no-store', `store not found: ${path}`, {
      hint: 'pass the store of the gateway',
    });
  }
  const stores = await openSealedStores(context, options, await readSealKeys(context, options));
  if (stores !== undefined) return stores;
  throw createUsageError('a store is needed', 'pass the --store of the gateway, or its --store-env');
}

/** Opens the stores that the options name. Returns `undefined` if they name none. */
export async function openStores(
  context: CliContext,
  options: StoreOptions,
  folder: string = context.cwd,
): Promise<Stores | undefined> {
  const target = readTarget(context, options);
  if (target === undefined) return undefined;
  if (REMOTE.test(target) && (options.keysEnv ?? options.keysFile) === undefined) {
    throw createUsageError(
      '--store: stores on another machine need keys that encrypt what they get',
      'put ID:KEY into an environment variable or a file, and pass --keys-env NAME or --keys-file FILE',
    );
  }
  const onError = (error: TenonError) => logError(context.screen, error);
  switch (URL_SCHEME.exec(target)?.[1]?.toLowerCase()) {
    case 'redis':
    case 'rediss':
    case 'redis+sentinel':
    case 'rediss+sentinel': {
      const { redisStores } = await import('tenon/redis');
      return requireDriver(redisStores(target, { onError, prefix: options.prefix }));
    }
    case 'postgres':
    case 'postgresql': {
      const { postgresStores } = await import('tenon/postgres');
      return requireDriver(postgresStores(target, { onError, schema: options.prefix }));
    }
    case 'sqlite':
    case undefined: {
      const { sqliteStores } = await import('tenon/sqlite');
      return sqliteStores(toPath(target, folder), { onError });
    }
    default:
      throw createUsageError('--store: unknown kind of store', `use one of: ${EXPECTED}`);
  }
}

const toPath = (target: string, folder: string): string => resolve(folder, target.replace(/^sqlite:/i, ''));

/** Returns the path of the SQLite file that the options name. Returns `undefined` for other stores. */
function findPath(context: CliContext, options: StoreOptions): string | undefined {
  const target = readTarget(context, options);
  const scheme = URL_SCHEME.exec(target ?? '')?.[1]?.toLowerCase();
  return target === undefined || (scheme !== undefined && scheme !== 'sqlite')
    ? undefined
    : toPath(target, context.cwd);
}

function readTarget({ env }: CliContext, { store, storeEnv }: StoreOptions): string | undefined {
  if (store !== undefined && storeEnv !== undefined)
    throw createUsageError('--store and --store-env exclude each other', 'pass only one of them');
  if (storeEnv !== undefined) return readVariable(env, storeEnv, '--store-env');
  if (store !== undefined && hasPassword(store)) {
    throw createUsageError(
      '--store: a password is not accepted here, because other users of this machine can read command lines',
      'put the URL into an environment variable and pass its name: --store-env NAME',
    );
  }
  if (store !== undefined && /^(?:sqlite:)?$/i.test(store))
    throw createUsageError('--store: the path is missing', `use one of: ${EXPECTED}`);
  return store;
}

function hasPassword(target: string): boolean {
  if (!URL_SCHEME.test(target)) return false;
  const url = parseUrl(target);
  return url ? url.password !== '' : target.includes('@');
}

/**
 * Fails if the package that connects to the store is not installed. A store that does not respond yet is not a failure,
 * because it may start later than its replicas.
 */
async function requireDriver(stores: Stores): Promise<Stores> {
  try {
    await stores.values.get('health');
  } catch (thrown) {
    const error = thrown as TenonError;
    if (error.code !== 'store/unavailable') {
      await stores.close();
      throw error;
    }
  }
  return stores;
}
