/** `tenon/node`: a server on a port, or inside a Node framework. */
export { type HttpServer, type ServeHttpOptions, serveHttp } from './runtimes/node/http-server.js';
export { type Mountable, type NodeHandler, toNode } from './runtimes/node/http-server-mount.js';
export {
  type WorkspaceFolder,
  type WorkspaceRoots,
  type WorkspaceRootsOptions,
  workspaceRoots,
} from './runtimes/node/workspace-roots.js';
