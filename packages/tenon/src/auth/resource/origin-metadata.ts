import type { Clock, TenonError } from '@tenon/base';
import { AUTHORIZATION_SERVER_PATH } from '../oauth/well-known-paths.js';
import { fetchIssuerDocument, type IssuerConnection } from './issuer-requests.js';

/** Time for which metadata or a failure is cached, in milliseconds. */
const METADATA_TTL = 300_000;
const RETRY_DELAY = 10_000;

export interface OriginMetadataOptions extends Pick<IssuerConnection, 'fetch'> {
  readonly resource: string;
  /** Issuer to serve. `undefined`: none. */
  readonly issuer: string | undefined;
  readonly clock: Clock;
  readonly onError: (error: TenonError) => void;
}

/** Loads a document. Resolves with `undefined` while its source cannot be reached. */
export type LoadDocument = () => Promise<string | undefined>;

/**
 * Serves the metadata of the issuer at the origin of the resource, where clients of 2025-03-26 look for it. An issuer
 * at the same origin serves the document itself.
 *
 * @see https://modelcontextprotocol.io/specification/2025-03-26/basic/authorization
 */
export function createOriginMetadata(options: OriginMetadataOptions): ReadonlyMap<string, LoadDocument> {
  const { issuer, resource } = options;
  if (issuer === undefined) return new Map();
  const { origin, pathname } = new URL(issuer);
  const servesItself = origin === new URL(resource).origin && pathname === '/';
  return new Map(servesItself ? [] : [[AUTHORIZATION_SERVER_PATH, createLoader(issuer, options)]]);
}

/** Runs at most one request at a time, and repeats it only after the cached response or failure has expired. */
function createLoader(issuer: string, { clock, fetch, onError }: OriginMetadataOptions): LoadDocument {
  let latest: { readonly text: string | undefined; readonly expiresAt: number } | undefined;
  let loading: Promise<string | undefined> | undefined;
  const load = async (): Promise<string | undefined> => {
    let text: string | undefined;
    try {
      text = JSON.stringify(await fetchIssuerDocument({ issuer, clock, fetch }));
    } catch (error) {
      onError(error as TenonError);
      text = latest?.text;
    }
    latest = { text, expiresAt: clock.now() + (text === undefined ? RETRY_DELAY : METADATA_TTL) };
    return text;
  };
  return () => {
    if (latest && clock.now() < latest.expiresAt) return Promise.resolve(latest.text);
    loading ??= load().finally(() => {
      loading = undefined;
    });
    return loading;
  };
}
