import { TenonError } from 'tenon';
import { addUrlScheme } from 'tenon/node';
import { DownloadError, download } from '../http/download.js';
import { readBounded, SizeLimitError } from '../http/read-bounded.js';
import { parseSafeUrl } from '../options/option-parsers.js';
import { createUsageError } from '../usage-error.js';
import { parseRegistryEntry, parseRegistryList, type RegistryEntry } from './registry-document.js';

const OFFICIAL_REGISTRY = 'https://registry.modelcontextprotocol.io';
/** Time for one response, in milliseconds. */
const TIMEOUT = 15_000;
/** Maximum size of a response, in bytes. */
const MAX_SIZE = 4_000_000;

export interface RegistrySearch {
  readonly text: string;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Returns the URL of the registry: that of the option, of `TENON_REGISTRY_URL`, or the official one. */
export function selectRegistry(env: Readonly<Record<string, string | undefined>>, option?: string): string {
  const given = option ?? (env.TENON_REGISTRY_URL || OFFICIAL_REGISTRY);
  const url = parseSafeUrl(given);
  if (url === undefined)
    throw createUsageError(
      `invalid URL of a registry: ${given.slice(0, 200)}`,
      'pass an https: URL, or http: on loopback',
    );
  return url.replace(/\/$/, '');
}

/** Returns a page of the latest versions of the servers whose names contain a text. */
export async function searchRegistry(
  registry: string,
  { text, limit, cursor }: RegistrySearch,
  signal?: AbortSignal,
): ReturnType<typeof parseRegistryList> {
  const query = new URLSearchParams({
    search: text,
    version: 'latest',
    limit: String(limit),
    ...(cursor && { cursor }),
  });
  const page = await parseRegistryList(await readJson(registry, `/v0.1/servers?${query}`, signal), registry);
  return { ...page, entries: page.entries.filter(({ status }) => status !== 'deleted') };
}

/** Returns one version of a server. */
export async function readRegistryServer(
  registry: string,
  name: string,
  version: string,
  signal?: AbortSignal,
): Promise<RegistryEntry> {
  const path = `/v0.1/servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`;
  const entry = await parseRegistryEntry(await readJson(registry, path, signal, `${name}@${version}`), registry);
  if (entry.server.name === name && entry.status !== 'deleted') return entry;
  throw createUnknownError(registry, name);
}

async function readJson(registry: string, path: string, signal?: AbortSignal, server?: string): Promise<unknown> {
  const timeout = AbortSignal.timeout(TIMEOUT);
  try {
    const { status, chunks } = await download(registry + path, {
      headers: { accept: 'application/json' },
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    if (status === 404 && server !== undefined) throw createUnknownError(registry, server);
    if (status < 200 || status >= 300) throw createUnreachableError(registry, `HTTP ${status}`, server);
    return JSON.parse(await readBounded(chunks, MAX_SIZE));
  } catch (error) {
    signal?.throwIfAborted();
    if (TenonError.is(error)) throw error;
    if (error instanceof SizeLimitError) throw createUnreachableError(registry, error.message, server);
    if (error instanceof SyntaxError) throw createUnreachableError(registry, 'a response that is not JSON', server);
    if (timeout.aborted) throw createUnreachableError(registry, `no response in ${TIMEOUT / 1000} s`, server);
    const reason = error instanceof DownloadError ? `no connection: ${error.message}` : 'no connection';
    throw createUnreachableError(registry, reason, server);
  }
}

function createUnreachableError(registry: string, received: string, server = ''): TenonError {
  return new TenonError('registry/unreachable', `${registry}: the registry did not answer as expected`, {
    received,
    hint: `${createUrlHint(server)}check the URL and the network, or set TENON_REGISTRY_URL`,
  });
}

/** A registry name begins with a reversed domain, such as `com.example/notes`. */
const REVERSED_DOMAIN = /^(?:[a-z]{2}|com|org|net|edu|gov|mil|int|app|dev|cloud|tech|xyz|info|biz)\./;

/** Returns the advice for an address without `https://`, which has the form of a registry name. */
function createUrlHint(server: string): string {
  const url = REVERSED_DOMAIN.test(server) ? undefined : addUrlScheme(server.replace(/@[^@/]*$/, ''));
  return url === undefined ? '' : `pass ${url} for the server at this URL, or `;
}

function createUnknownError(registry: string, server: string): TenonError {
  return new TenonError('registry/unknown-server', `${server}: the registry has no such server`, {
    peer: registry,
    hint: `${createUrlHint(server)}use \`tenon search TEXT\` to find its name`,
  });
}
