/**
 * Test servers and clients: in-memory pairs, fault injection, and contract cases for transports and stores.
 *
 * @module tenon/testing
 */

export { connectPair, type PairOptions, protocolVersions } from './connect-pair.js';
export { echoServer } from './echo-server.js';
export { type FakeClock, fakeClock } from './fake-clock.js';
export {
  delay,
  drop,
  duplicate,
  type FaultOptions,
  type FaultSchedule,
  type MessageFault,
  replaceWith,
  withFaults,
} from './faults.js';
export type { TestableHandler } from './handler-equivalence/handler-under-test.js';
export type { ObservedEvent } from './handler-equivalence/observation.js';
export {
  checkHandlerEquivalence,
  type ExecutionResult,
  type HandlerEquivalenceOptions,
} from './handler-equivalence.js';
export { type StoreFixture, storeCases, type UnsupportedStoreFeatures } from './store-cases.js';
export type { PeerResponse, TestPeer } from './test-peer.js';
export {
  type ContractCase,
  type TransportFixture,
  transportCases,
  type UnsupportedFeatures,
} from './transport-cases.js';
