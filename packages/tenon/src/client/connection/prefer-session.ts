import { getDialect, getNewestDialect } from '../../protocol/versions/index.js';
import type { Connection } from './connection.js';
import type { VersionCache } from './version-cache.js';

/**
 * Opens a connection with a version that has a handshake, if the server then grants a session. Without one, the server
 * cannot request input, confirm cancellations or announce changes on such a version, so a stateless version is used if
 * the server supports one.
 *
 * @param key Key of the endpoint in the cache.
 * @param openByHandshake Opens a connection with the preferred version.
 * @param openStateless Opens a connection with a stateless version. Rejects if the server does not support it.
 * @param isVersionError Tells if an error shows the versions of the server. It comes from the caller, because a module that
 *   loads on first use and imports one of the client would keep the client for later in a bundle.
 */
export async function preferSession(
  key: string,
  cache: VersionCache,
  openByHandshake: () => Promise<Connection>,
  openStateless: (protocolVersion: string) => Promise<Connection>,
  isVersionError: (error: unknown) => boolean,
): Promise<Connection> {
  const sessionlessKey = `${key} without sessions`;
  const known = getDialect((await cache.get(sessionlessKey)) ?? '');
  if (known?.opening === 'per-request') {
    try {
      return await openStateless(known.protocolVersion);
    } catch (error) {
      if (!isVersionError(error)) throw error;
      await cache.delete(sessionlessKey);
    }
  }
  const opened = await openByHandshake();
  const { dialect, endpoint, channel } = opened;
  const isSessionless = endpoint.kind === 'http' && channel.sessionId === undefined;
  if (dialect.opening !== 'handshake' || !isSessionless || known?.opening === 'handshake') return opened;
  try {
    const stateless = await openStateless(getNewestDialect('per-request').protocolVersion);
    await cache.set(sessionlessKey, stateless.dialect.protocolVersion);
    await opened.close();
    return stateless;
  } catch (error) {
    if (isVersionError(error)) await cache.set(sessionlessKey, dialect.protocolVersion);
    return opened;
  }
}
