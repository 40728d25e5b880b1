import { createHost } from '@tenon/host';
import type { BackendTarget } from './start-gateway.js';

/** A host of the one server, to be served as a gateway. */
export function createGatewayHost(behind: BackendTarget): ReturnType<typeof createHost> {
  const server = typeof behind === 'function' ? { service: behind } : behind;
  return createHost({ prefix: 'auto', servers: { fixture: server }, onError: () => {} });
}
