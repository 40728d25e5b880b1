import type { Authorizer } from '../auth/authorizer.js';
import type { CallerSignIn } from '../auth/caller-sign-in/options.js';
import type { Client } from '../client/client.js';
import { byChannel, connectTo, inProcess } from '../client/connect.js';
import type { Endpoint } from '../client/endpoint.js';
import type { ClientOptions } from '../client/options.js';
import type { Roads } from '../client/target.js';
import type { CallerIdentity } from '../model/owner.js';
import type { CommandTarget, ServerEntry, UrlTarget } from './config/server-entry.js';
import type { Guard } from './guard.js';
import type { Credentials, HostServer } from './options.js';
import type { UpstreamFacts } from './upstream/upstream.js';

interface CallerCredentials {
  readonly credentials?: Credentials | undefined;
  readonly callerSignIn?: CallerSignIn | undefined;
}

/** How a server of the configuration is reached: by a client of its own for each principal, with that one's credentials. */
export function reach(
  name: string,
  server: HostServer,
  roads: Roads,
  guard: Pick<Guard, 'start'>,
  { credentials, callerSignIn }: CallerCredentials,
): Pick<UpstreamFacts, 'connect' | 'trusted' | 'roots' | 'idleTimeout' | 'totalTimeout' | 'share'> {
  const connect = async (caller: CallerIdentity, options: ClientOptions): Promise<Client> => {
    await guard.start(name);
    const given = await credentials?.(name, caller.principal);
    const auth = given ?? (hasToken(server) ? undefined : callerSignIn?.authorizer(name, caller));
    return connectTo(endpointOf(server, roads, auth), options);
  };
  const { idleTimeout, totalTimeout, trusted = false, roots, share } = server;
  return { connect, trusted, share, idleTimeout, totalTimeout, roots: roots?.map(uri => ({ uri })) };
}

/** A header of the configuration is for all callers. */
function hasToken(server: HostServer): boolean {
  if (!('url' in server) || typeof server.headers !== 'object') return false;
  return Object.keys(server.headers).some(name => name.toLowerCase() === 'authorization');
}

function endpointOf(server: HostServer, roads: Roads, auth: Authorizer | string | undefined): Endpoint {
  if ('service' in server) {
    const { service } = server;
    return typeof service === 'function' ? byChannel(service) : inProcess(service);
  }
  if ('command' in server) return roads.stdio(server);
  return roads.http(auth === undefined ? server : { ...server, auth });
}

/** A server as the lock, the rules and the configuration know it. */
export function entryOf(name: string, server: HostServer): ServerEntry {
  const { tools, trusted, origin } = server;
  return {
    name,
    target: sourceOf(server),
    ...(tools ? { tools } : {}),
    ...(trusted === undefined ? {} : { trusted }),
    ...(origin ? { origin } : {}),
  };
}

function sourceOf(server: HostServer): CommandTarget | UrlTarget {
  if ('service' in server) return { url: 'memory:' };
  if ('command' in server) {
    const { command, args, env, cwd } = server;
    const given = Object.entries(env ?? {}).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return {
      command,
      ...(args ? { args } : {}),
      ...(env ? { env: Object.fromEntries(given) } : {}),
      ...(cwd === undefined ? {} : { cwd }),
    };
  }
  const { url, headers, transport } = server;
  return {
    url: String(url),
    ...(typeof headers === 'object' ? { headers } : {}),
    ...(transport ? { transport } : {}),
  };
}
