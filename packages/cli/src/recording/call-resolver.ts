import { toJsonObject } from '@tenon/base';
import { type ActionRequest, createNameResolver, type NameResolver, type NameResolverOptions } from '@tenon/host';
import type { RecordedMessage } from '@tenon/testing';
import type { JsonObject } from 'tenon';

/** Call in a recording, with the entry of the server that it concerns. */
export interface RecordedCall extends Pick<ActionRequest, 'kind' | 'server' | 'name' | 'arguments'> {
  readonly line: number;
  readonly publicName: string;
  /** False if the name at the server cannot be determined. */
  readonly isKnown: boolean;
  /** True if the configuration of the server does not offer the tool. */
  readonly isExcluded: boolean;
}

/** Kinds of the methods that a policy decides about. */
const KINDS: Readonly<Record<string, ActionRequest['kind']>> = {
  'tools/call': 'tool',
  'prompts/get': 'prompt',
  'resources/read': 'resource',
  'resources/subscribe': 'resource',
};

/**
 * Creates a function that returns the call in a recorded message, or `undefined` if no policy decides about the message.
 * The public names of a gateway are resolved as the gateway does it. Other names belong to the recorded server.
 */
export function createCallResolver({
  servers: resolved,
  prefix,
  known,
  hasBudget,
}: NameResolverOptions): (recorded: RecordedMessage) => RecordedCall | undefined {
  const resolver = createNameResolver({ servers: resolved, prefix, known, hasBudget });
  const servers = new Set(resolved.map(({ name }) => name));
  const resolveEntry = (kind: ActionRequest['kind'], name: string, recordedServer: string) => {
    if (kind === 'tool') return resolver.resolveTool(name);
    if (kind === 'prompt') return resolver.resolvePrompt(name);
    return servers.has(recordedServer) ? undefined : resolver.resolveResource(name);
  };
  return ({ dir, message, line, server }) => {
    if (dir !== 'send' || !('method' in message) || !('id' in message)) return undefined;
    const { method, params = {} } = message;
    const kind = Object.hasOwn(KINDS, method) ? KINDS[method] : undefined;
    const call = kind && readCall(kind, params, resolver);
    if (kind === undefined || call === undefined) return undefined;
    const { name } = call;
    const unresolved = { server, name, isKnown: true, isExcluded: false };
    const entry = resolveEntry(kind, name, server) ?? unresolved;
    return { ...entry, line, kind, publicName: name, arguments: call.arguments };
  };
}

function readCall(
  kind: ActionRequest['kind'],
  params: JsonObject,
  resolver: NameResolver,
): { readonly name: string; readonly arguments: JsonObject } | undefined {
  if (kind === 'tool') return resolver.unwrapToolCall(params);
  const name = kind === 'resource' ? params.uri : params.name;
  if (typeof name !== 'string') return undefined;
  return { name, arguments: kind === 'prompt' ? toJsonObject(params.arguments) : {} };
}
