/**
 * Serve over HTTP on a port, or inside a Node framework.
 *
 * @module tenon/node
 */

export type { GuardedFetch, GuardedFetchInit } from '@tenon/base';
export { addUrlScheme, isLoopbackHost } from '@tenon/base';
export { type ApiFetchOptions, createApiFetch } from './runtimes/node/auth/api-fetch.js';
export { createReplaceableServer, type ReplaceableServer } from './runtimes/node/child-server/replaceable-server.js';
export { serveParent } from './runtimes/node/child-server/serve-parent.js';
export type { AttachedProcess, ReplaceableServerOptions } from './runtimes/node/child-server/server-forwarder.js';
export { type HttpMount, type NodeHandler, toNode } from './runtimes/node/http/http-mount.js';
export {
  type ExitOnSignalOptions,
  type HttpServer,
  type ServeHttpOptions,
  serveHttp,
} from './runtimes/node/http/http-server.js';
export { findProxyRoute, type ProxyRoute } from './runtimes/node/http/proxy.js';
export { openTransport } from './runtimes/node/open-transport.js';
export { stopServerProcesses } from './runtimes/node/processes/running-servers.js';
export {
  type WorkspaceFolder,
  type WorkspaceRoots,
  type WorkspaceRootsOptions,
  workspaceRoots,
} from './runtimes/node/workspace-roots.js';
