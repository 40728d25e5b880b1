/** `tenon/testing`: a client and a server in one process, things that go wrong as planned, and what every channel must do. */
export { type Case, channelCases, type Lacks, type Road } from './channel-cases.js';
export { type FakeClock, fakeClock } from './clock.js';
export type { Answer, Ear } from './ear.js';
export { delay, drop, duplicate, type Fault, type Faults, faulty, garbage, type Plan } from './faults.js';
export { connectPair, eachRevision, type PairOptions } from './pair.js';
export { reflector } from './reflector.js';
