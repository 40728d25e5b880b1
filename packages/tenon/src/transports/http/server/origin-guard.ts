import type { HandlerOptions } from './options.js';

/** Says what is wrong with the `Host` and `Origin` of a request, or nothing. */
export type OriginGuard = (host: string | undefined, origin: string | undefined) => string | undefined;

/**
 * Keeps web pages out that have no business here. A page whose name an attacker points at this machine (DNS rebinding)
 * sends that name as `Host`: so `Host` must be a loopback name, an IP address, or one that was allowed. Any other page
 * sends its `Origin`: it must be the server's own, a loopback one on loopback, or one that was allowed.
 */
export function createOriginGuard(
  options: Pick<HandlerOptions, 'allowedHosts' | 'allowedOrigins' | 'cors'>,
): OriginGuard {
  const hosts = toLowerCase(options.allowedHosts);
  const origins = toLowerCase(options.allowedOrigins);
  const corsOrigins = toLowerCase(options.cors?.origins);
  let lastAllowedHost: string | undefined;

  const isHostAllowed = (host: string): boolean => {
    if (host === lastAllowedHost || hosts === '*') return true;
    const name = getHostname(host);
    const isAllowed = isLoopback(name) || isAddress(name) || hosts.includes(host.toLowerCase()) || hosts.includes(name);
    if (isAllowed) lastAllowedHost = host;
    return isAllowed;
  };
  const isOriginAllowed = (origin: string, host: string): boolean => {
    if (origins === '*' || corsOrigins === '*') return true;
    const lower = origin.toLowerCase();
    if (origins.includes(lower) || corsOrigins.includes(lower)) return true;
    const authority = /^https?:\/\/([^/]+)$/.exec(lower)?.[1];
    if (authority === undefined) return false;
    return authority === host.toLowerCase() || (isLoopback(getHostname(authority)) && isLoopback(getHostname(host)));
  };

  return (host, origin) => {
    if (host === undefined || host === '') return 'the request has no Host';
    if (!isHostAllowed(host)) return `Host "${toPrintable(host)}" is not allowed; add it to allowedHosts`;
    if (origin === undefined || isOriginAllowed(origin, host)) return undefined;
    return `Origin "${toPrintable(origin)}" is not allowed; add it to allowedOrigins`;
  };
}

/** Whether a name means this machine and nothing else. */
function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || name === '::1' || /^127(?:\.\d{1,3}){3}$/.test(name);
}

/** An address can not be rebound: only names are looked up. */
function isAddress(name: string): boolean {
  return /^\d{1,3}(?:\.\d{1,3}){3}$/.test(name) || /^\[[0-9a-f:.]+\]$/.test(name);
}

function getHostname(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '');
}

function toLowerCase(list: readonly string[] | '*' | undefined): readonly string[] | '*' {
  return list === '*' ? '*' : (list ?? []).map(entry => entry.toLowerCase());
}

/** Keeps what a stranger sent from breaking a log or a page. */
function toPrintable(text: string): string {
  return text.slice(0, 100).replace(/[^\x20-\x7e]|["\\<>]/g, '?');
}
