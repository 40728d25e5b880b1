import { isEncryptedOrLocal, parseDuration, parseWebUrl } from '@tenon/base';
import { InvalidArgumentError } from 'commander';
import { type AssumableCapability, assumableCapabilities, protocolVersions } from 'tenon';
import type { AuthExceptions } from 'tenon/auth';
import type { LoopbackOptions } from 'tenon/auth/node';
import { createUsageError } from '../usage-error.js';

/** Parsers of option values. Commander adds the option and the value to the message of an `InvalidArgumentError`. */

/** Parses a duration to milliseconds: `500ms`, `90s`, `30m`, `2h`, `1d`, `1 day`. */
export function parseDurationOption(text: string): number {
  const duration = parseDuration(text.trim().toLowerCase());
  if (!duration) throw new InvalidArgumentError('Expected a time such as 90s, 30m or 2h.');
  return duration;
}

/** Parses a protocol version. */
export function parseProtocolVersion(text: string): string {
  if (protocolVersions.some(version => version === text)) return text;
  throw new InvalidArgumentError(`Expected one of ${protocolVersions.join(', ')}.`);
}

/** Exceptions that are on or off. `issuer` has a value. */
const AUTH_EXCEPTIONS = ['ignoreIssuerSlash', 'omitResource', 'sendScopeOnRefresh', 'assumePkce'];

/** Parses an exception of the authorization: its name, or `issuer=URL`. The option may be repeated. */
export function parseAuthException(text: string, before: AuthExceptions = {}): AuthExceptions {
  const [, issuer] = /^issuer=(https?:\/\/\S+)$/.exec(text) ?? [];
  if (issuer !== undefined) return { ...before, issuer };
  if (AUTH_EXCEPTIONS.includes(text)) return { ...before, [text]: true };
  throw new InvalidArgumentError(`Expected ${AUTH_EXCEPTIONS.join(', ')} or issuer=URL.`);
}

/** Parses a redirect URI on this machine: `http://localhost:8765/callback`. Without a port, any free port is used. */
export function parseRedirectUri(text: string): Pick<LoopbackOptions, 'host' | 'port' | 'path'> {
  const [, host, port, path] = /^http:\/\/(127\.0\.0\.1|localhost)(?::(\d{1,5}))?(\/[^?#\s]*)$/.exec(text) ?? [];
  if (path === undefined)
    throw new InvalidArgumentError(
      'Expected a URL such as http://127.0.0.1/callback or http://localhost:8765/callback.',
    );
  return { host: host === 'localhost' ? host : '127.0.0.1', path, ...(port ? { port: parsePort(port) } : {}) };
}

/** Parses a whole number of at least 1. `20k` is 20,000. */
export function parseCount(text: string): number {
  const [, number, thousands] = /^(\d{1,12})(k?)$/i.exec(text.trim()) ?? [];
  const value = Number(number) * (thousands ? 1000 : 1);
  if (number === undefined || value < 1)
    throw new InvalidArgumentError('Expected a whole number of at least 1, or 20k.');
  return value;
}

const SIZES: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** Parses a size: `500k`, `20M`, `1G`. */
export function parseSize(text: string): number {
  const [, number, unit = ''] = /^(\d{1,12})([kmg]?)b?$/i.exec(text.trim()) ?? [];
  const size = Number(number) * (SIZES[unit.toLowerCase()] ?? Number.NaN);
  if (!(size >= 1)) throw new InvalidArgumentError('Expected a size such as 500k, 20M or 1G.');
  return size;
}

export function parsePort(text: string): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= 65_535)) throw new InvalidArgumentError('Expected a port from 0 to 65535. 0 selects a free port.');
  return value;
}

/** Parses the address of metrics: a port on loopback, or `HOST:PORT`. */
export function parseAddress(text: string): { readonly host: string; readonly port: number } {
  const [, host = '127.0.0.1', port = ''] = /^(?:(\[[^\]]+\]|[^:]+):)?(\d+)$/.exec(text) ?? [];
  if (port === '') throw new InvalidArgumentError('Expected a port, or an address such as 0.0.0.0:9464.');
  return { host: host.replace(/^\[|\]$/g, ''), port: parsePort(port) };
}

/** Parses a list of names: `a,b`. The option may be repeated. */
export function parseNames(text: string, before: readonly string[] = []): string[] {
  const parsed = text.split(',').map(each => each.trim());
  if (parsed.some(each => each === '')) throw new InvalidArgumentError('Expected a comma-separated list of names.');
  return [...before, ...parsed];
}

/** Parses a list of capabilities that a server does not declare: `tools,prompts`. The option may be repeated. */
export function parseCapabilities(text: string, before: readonly AssumableCapability[] = []): AssumableCapability[] {
  const parsed = parseNames(text).map(name => assumableCapabilities.find(each => each === name));
  if (parsed.includes(undefined))
    throw new InvalidArgumentError(`Expected a comma-separated list of ${assumableCapabilities.join(', ')}.`);
  return [...before, ...parsed.filter(each => each !== undefined)];
}

/**
 * Parses a list of environment variables: `A,B`. The option may be repeated. `readVariable` checks the names without
 * printing them.
 */
export const parseVariableNames = (text: string, before: readonly string[] = []): string[] => [
  ...before,
  ...text.split(',').map(each => each.trim()),
];

/**
 * Creates a parser of `NAME=VALUE` or `Name: value`. The option may be repeated. Its error does not show the text,
 * which may be a secret.
 */
export const createPairParser =
  (option: string, form = 'NAME=VALUE') =>
  (text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> => {
    const [, name, value] = /^([^=:\s]+)(?:=|:\s*)([\s\S]*)$/.exec(text) ?? [];
    if (name === undefined || value === undefined)
      throw createUsageError(`${option}: no name`, `write ${option} ${form.includes(' ') ? `'${form}'` : form}`);
    return { ...before, [name]: value };
  };

/** Parses a named list: `NAME=a,b`. The option may be repeated. */
export function parseSelections(
  text: string,
  before: Readonly<Record<string, string[]>> = {},
): Record<string, string[]> {
  const [, name, list] = /^([\w-]{1,64})=(.+)$/.exec(text) ?? [];
  if (name === undefined || list === undefined) {
    throw new InvalidArgumentError('Expected NAME=server,server with a name of letters, digits, - and _.');
  }
  if (Object.hasOwn(before, name)) throw new InvalidArgumentError(`The name ${name} is used twice.`);
  return { ...before, [name]: parseNames(list) };
}

/** Parses an `https:` URL, or an `http:` URL of this machine. Returns `undefined` for any other text. */
export function parseSafeUrl(text: string): string | undefined {
  const url = parseWebUrl(text);
  return url !== undefined && isEncryptedOrLocal(url) ? url.href : undefined;
}

/** Parses the value of `--public-url`. */
export function parsePublicUrl(text: string): string {
  const url = parseWebUrl(text);
  if (url === undefined)
    throw createUsageError(`--public-url: not a URL: ${text}`, 'pass an https: URL, or http: on loopback');
  return url.href;
}

/** Parses a number of processes: a whole number of at least 1, or `auto`. */
export function parseWorkers(text: string): number | 'auto' {
  return text === 'auto' ? text : parseCount(text);
}
