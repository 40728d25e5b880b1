import type { HttpExchangeView } from '../api.js';
import { joinVersions, joinWords } from './join-versions.js';

/** HTTP request of a message on each version. `undefined`: the message has none, or is not on that version. */
export type HttpOfVersions = readonly (HttpExchangeView | undefined)[];

/** Headers that follow from the connection or from the length of a message, and not from the protocol version. */
const IGNORED = new Set([
  'connection',
  'content-length',
  'date',
  'etag',
  'host',
  'keep-alive',
  'transfer-encoding',
  'vary',
  'via',
  'x-request-id',
]);

/** Maximum number of headers that a sentence names. */
const MAX_NAMED = 6;

/** Finds the HTTP request that carries a message: only these accept a stream of events. The last one was authorized. */
export const findMessageRequest = (exchanges: readonly HttpExchangeView[]): HttpExchangeView | undefined =>
  exchanges.findLast(
    ({ method, requestHeaders }) =>
      method === 'POST' &&
      requestHeaders.some(([name, value]) => name.toLowerCase() === 'accept' && value.includes('text/event-stream')),
  );

/** Describes in words how the HTTP requests of one message differ: method, status, form of the response, and names of headers. */
export function describeHttpDifferences(exchanges: HttpOfVersions, versions: readonly string[]): readonly string[] {
  const known = exchanges.flatMap((exchange, index) =>
    exchange ? [{ exchange, version: versions[index] ?? '' }] : [],
  );
  if (known.length < 2) return [];
  const words: string[] = [];
  const describeValues = (problem: string, read: (exchange: HttpExchangeView) => string) => {
    const groups = groupVersions(known.map(({ exchange, version }) => [read(exchange), version]));
    if (groups.size < 2 || groups.has('')) return;
    const parts = [...groups].map(([value, having]) => `${value} on ${joinVersions(having, versions)}`);
    words.push(`HTTP: ${problem} ${parts.join(', ')}.`);
  };
  const describeHeaders = (title: string, read: (exchange: HttpExchangeView) => HttpExchangeView['requestHeaders']) => {
    const names = known.map(({ exchange }) => listNames(read(exchange)));
    const missing = [...new Set(names.flatMap(each => [...each]))].filter(name => !names.every(each => each.has(name)));
    const groups = groupVersions(
      missing.sort().flatMap(name => {
        const having = known.filter((_, index) => names[index]?.has(name)).map(({ version }) => version);
        return [[joinVersions(having, versions), name] as const];
      }),
    );
    for (const [having, own] of groups) {
      const more = own.length - MAX_NAMED;
      const named = own.slice(0, MAX_NAMED);
      words.push(
        `HTTP: ${title} only on ${having}: ${more > 0 ? `${named.join(', ')} and ${more} more` : joinWords(named)}.`,
      );
    }
  };
  describeValues('method', ({ method }) => method);
  describeValues('status', ({ status }) => (status === null ? '' : String(status)));
  describeValues('response as', ({ responseHeaders }) => readMediaType(responseHeaders));
  describeHeaders('request headers', ({ requestHeaders }) => requestHeaders);
  // The headers of a response are known when it has begun.
  if (known.every(({ exchange }) => exchange.status !== null))
    describeHeaders('response headers', ({ responseHeaders }) =>
      responseHeaders.filter(([name]) => name.toLowerCase() !== 'content-type'),
    );
  return words;
}

function groupVersions(entries: readonly (readonly [key: string, value: string])[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const [key, value] of entries) groups.set(key, [...(groups.get(key) ?? []), value]);
  return groups;
}

const listNames = (headers: HttpExchangeView['requestHeaders']): Set<string> =>
  new Set(headers.map(([name]) => name.toLowerCase()).filter(name => !IGNORED.has(name)));

const readMediaType = (headers: HttpExchangeView['responseHeaders']): string =>
  headers
    .find(([name]) => name.toLowerCase() === 'content-type')?.[1]
    .split(';')[0]
    ?.trim() ?? '';
