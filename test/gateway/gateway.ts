import { createHost } from 'tenon/host';
import type { Behind } from './in-front.js';

/** A host of the one server, to be served as a gateway. */
export function hostOf(behind: Behind): ReturnType<typeof createHost> {
  const server = typeof behind === 'function' ? { service: behind } : behind;
  return createHost({ prefix: 'auto', servers: { fixture: server }, onProblem: () => {} });
}
