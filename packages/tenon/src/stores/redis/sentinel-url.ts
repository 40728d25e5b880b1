import { TenonError } from '@tenon/base';

/** Address of a group of Redis servers that Sentinel watches. */
export interface SentinelGroup {
  /** The Sentinels. */
  readonly sentinels: readonly { readonly host: string; readonly port: number }[];
  /** Name of the group. */
  readonly name: string;
  /** User and password of the Redis servers. */
  readonly username?: string;
  readonly password?: string;
  readonly database: number;
  /** True if the Sentinels and the Redis servers use TLS. */
  readonly isTls: boolean;
}

const SENTINEL_URL = /^redis(s?)\+sentinel:\/\/(?:([^@/]*)@)?([^@/]+)\/([\w.-]+)(?:\/(\d{1,4}))?$/i;
const DEFAULT_PORT = 26_379;

/** Tells if a URL names a group of Redis servers that Sentinel watches. */
export const isSentinelUrl = (url: string): boolean => /^rediss?\+sentinel:/i.test(url);

/**
 * Parses `redis+sentinel://[USER:PASSWORD@]HOST[:PORT],…/GROUP[/DATABASE]`.
 * @throws TenonError `store/option` for another form.
 */
export function parseSentinelUrl(url: string): SentinelGroup {
  const [, tls = '', userInfo, hosts = '', name, database = '0'] = SENTINEL_URL.exec(url) ?? [];
  const sentinels = hosts.split(',').map(parseHost);
  if (name === undefined || sentinels.some(each => each === undefined)) {
    throw new TenonError('store/option', 'invalid URL of Redis Sentinel', {
      expected: 'redis+sentinel://HOST:PORT,HOST:PORT/GROUP',
    });
  }
  const [username = '', password = ''] = (userInfo ?? '').split(':').map(decodeURIComponent);
  return {
    sentinels: sentinels as SentinelGroup['sentinels'],
    name,
    ...(username === '' ? {} : { username }),
    ...(password === '' ? {} : { password }),
    database: Number(database),
    isTls: tls !== '',
  };
}

function parseHost(text: string): { readonly host: string; readonly port: number } | undefined {
  const [, name, address, port = DEFAULT_PORT] = /^(?:([\w.-]+)|\[([0-9a-f:.]+)\])(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const host = name ?? address;
  return host === undefined ? undefined : { host, port: Number(port) };
}

/** Returns the server of a URL, without user and password. */
export function describeRedisUrl(url: string): string {
  try {
    if (!isSentinelUrl(url)) return new URL(url).host;
    const { sentinels, name } = parseSentinelUrl(url);
    return `${sentinels.map(({ host }) => host).join(',')}/${name}`;
  } catch {
    return 'an invalid URL';
  }
}
