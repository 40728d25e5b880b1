import { decodeComponent, parseUrl, TenonError } from '@tenon/base';

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
/** Name or address of one Sentinel, and its port. */
const SENTINEL_HOST = /^(?:([\w.-]+)|\[([0-9a-f:.]+)\])(?::(\d{1,5}))?$/i;
const DEFAULT_PORT = 26_379;

/** Tells if a URL names a group of Redis servers that Sentinel watches. */
export const isSentinelUrl = (url: string): boolean => /^rediss?\+sentinel:/i.test(url);

/**
 * Parses `redis+sentinel://[USER:PASSWORD@]HOST[:PORT],…/GROUP[/DATABASE]`.
 * @throws TenonError `store/option` for another form.
 */
export function parseSentinelUrl(url: string): SentinelGroup {
  const [, tls = '', userInfo, hosts = '', name, database = '0'] = SENTINEL_URL.exec(url) ?? [];
  const parts = hosts.split(',');
  const sentinels = parts.flatMap(part => {
    const [, hostname, address, port = DEFAULT_PORT] = SENTINEL_HOST.exec(part) ?? [];
    const host = hostname ?? address;
    return host === undefined ? [] : [{ host, port: Number(port) }];
  });
  if (name === undefined || sentinels.length < parts.length || !isPercentEncoded(userInfo ?? '')) {
    throw new TenonError('store/option', 'invalid URL of Redis Sentinel', {
      expected: 'redis+sentinel://HOST:PORT,HOST:PORT/GROUP',
      hint: ENCODING_HINT,
    });
  }
  const [username = '', password = ''] = (userInfo ?? '').split(':').map(decodeURIComponent);
  return {
    sentinels,
    name,
    ...(username === '' ? {} : { username }),
    ...(password === '' ? {} : { password }),
    database: Number(database),
    isTls: tls !== '',
  };
}

/**
 * Returns the server of a URL, without user and password.
 * @throws TenonError `store/option` for another URL. The error does not contain it, because it may have a password.
 */
export function describeRedisUrl(url: string): string {
  if (isSentinelUrl(url)) {
    const { sentinels, name } = parseSentinelUrl(url);
    return `${sentinels.map(({ host }) => host).join(',')}/${name}`;
  }
  const parsed = parseUrl(url);
  const isRedis = parsed && /^rediss?:$/.test(parsed.protocol) && /^\/?\d*$/.test(parsed.pathname);
  if (isRedis && isPercentEncoded(parsed.username + parsed.password)) return parsed.host || 'localhost';
  throw new TenonError('store/option', 'invalid URL of Redis', {
    expected: 'redis://HOST:PORT, rediss://HOST:PORT or redis+sentinel://HOST:PORT,HOST:PORT/GROUP',
    hint: ENCODING_HINT,
  });
}

const ENCODING_HINT = 'correct the URL, and encode special characters of the user and the password: % as %25';

/** Tells if the escapes of a text are valid. */
const isPercentEncoded = (text: string): boolean => !text.includes('%') || decodeComponent(text) !== text;
