import { parseUrl } from '@tenon/base';
import { version } from 'tenon';
import type { DoctorContext } from './check.js';
import type { HttpProbe, ProbeRequest, ProbeResponse } from './http-probe.js';

const CLIENT_INFO = { name: 'tenon-doctor', version };
const META = 'io.modelcontextprotocol';

/** Creates the request that opens a connection in a version with a handshake. */
export function createInitialize(protocolVersion: string, id = 1) {
  return {
    jsonrpc: '2.0',
    id,
    method: 'initialize',
    params: { protocolVersion, capabilities: {}, clientInfo: CLIENT_INFO },
  };
}

/** Creates a request of a version without a handshake, with the headers that repeat its parts. */
export function createStatelessRequest(protocolVersion: string, method = 'server/discover'): ProbeRequest {
  const _meta = {
    [`${META}/protocolVersion`]: protocolVersion,
    [`${META}/clientInfo`]: CLIENT_INFO,
    [`${META}/clientCapabilities`]: {},
  };
  return {
    headers: { 'mcp-protocol-version': protocolVersion, 'mcp-method': method },
    body: { jsonrpc: '2.0', id: 1, method, params: { _meta } },
  };
}

/** Returns a request that the server accepts as the first one, in a version that it supports. */
export function createOpeningRequest({ handshakeVersion, statelessVersion, versions }: DoctorContext): ProbeRequest {
  if (handshakeVersion !== undefined) return { body: createInitialize(handshakeVersion) };
  if (statelessVersion !== undefined) return createStatelessRequest(statelessVersion);
  return { body: createInitialize(versions[1]?.version ?? '') };
}

/** Session of raw requests. `id` is undefined if the server has no sessions. */
export interface RawSession {
  readonly id: string | undefined;
  readonly opening: ProbeResponse;
  /** Headers of requests in the session. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Opens a session in the given version. The caller closes it with `closeSession`. */
export async function openSession(http: HttpProbe, protocolVersion: string): Promise<RawSession> {
  const opening = await http({ body: createInitialize(protocolVersion) });
  const id = opening.header('mcp-session-id');
  const headers = { 'mcp-protocol-version': protocolVersion, ...(id === undefined ? {} : { 'mcp-session-id': id }) };
  return { id, opening, headers };
}

/** Ends a session. Servers that refuse this keep it until it expires. */
export async function closeSession(http: HttpProbe, { id, headers }: RawSession): Promise<void> {
  if (id !== undefined) await http({ method: 'DELETE', headers }).catch(() => undefined);
}

/** Tells if a response has a JSON-RPC result. */
export function hasResult({ messages }: ProbeResponse): boolean {
  return messages.some(({ result }) => typeof result === 'object' && result !== null);
}

/** Describes a response in a few words, for a finding. */
export function describeResponse({ status, mediaType, header }: ProbeResponse): string {
  const location = header('location');
  return [`HTTP ${status}`, mediaType, location === undefined ? '' : `Location: ${location.slice(0, 200)}`]
    .filter(Boolean)
    .join(', ');
}

/** Returns the target of a redirect. Undefined if there is none, or if it is no URL. */
export function resolveLocation({ header }: ProbeResponse, url: URL): URL | undefined {
  const location = header('location');
  return location === undefined ? undefined : parseUrl(location, url);
}
