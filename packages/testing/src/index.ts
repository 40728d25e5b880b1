/**
 * Test servers and clients: in-memory pairs, fault injection, and contract cases for transports and stores.
 *
 * @module @tenon/testing
 */

export { connectPair, type PairOptions, protocolVersions } from './connect-pair.js';
export { echoServer } from './echo-server.js';
export { type FakeClock, fakeClock } from './fake-clock.js';
export {
  cut,
  delay,
  drop,
  duplicate,
  type FaultOptions,
  type FaultSchedule,
  type InjectedFault,
  type MessageFault,
  malformed,
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
export type { UnrecordedAnswer } from './recording/mock/mock-answers.js';
export { createMockServer, type MockServerOptions } from './recording/mock/mock-server.js';
export { type ServerFault, type ServerFaultOptions, withServerFaults } from './recording/mock/server-faults.js';
export { parseRecording } from './recording/parse-recording.js';
export {
  createRecordingProxy,
  type RecordingProxy,
  type RecordingProxyOptions,
} from './recording/proxy/recording-proxy.js';
export {
  createRecorder,
  type RecordDetails,
  type Recorder,
  type RecorderOptions,
  type SessionRecorder,
} from './recording/recorder.js';
export type {
  RecordedDirection,
  RecordedLinks,
  RecordedMessage,
  RecordedRequest,
  Recording,
} from './recording/recording.js';
export { redactFault, redactMessage } from './recording/redact-message.js';
export type { JsonDifference } from './recording/replay/compare-json.js';
export {
  type ReplayClientOptions,
  type ReplayDifference,
  type ReplayReport,
  replayToServer,
} from './recording/replay/replay-client.js';
export type { ReplayMismatch, ReplayMode } from './recording/replay/replay-matching.js';
export { createReplayServer, type ReplayServer, type ReplayServerOptions } from './recording/replay/replay-server.js';
export { digestRequestState } from './recording/state-digest.js';
export { type StoreFixture, storeCases, type UnsupportedStoreFeatures } from './store-cases.js';
export type { PeerResponse, TestPeer } from './test-peer.js';
export {
  type ContractCase,
  type TransportFixture,
  transportCases,
  type UnsupportedFeatures,
} from './transport-cases.js';
