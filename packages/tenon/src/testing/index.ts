/** `tenon/testing`: a client and a server in one process, things that go wrong as planned, and what every channel and all stores must do. */
export { type Case, channelCases, type Lacks, type Road } from './channel-cases.js';
export { type FakeClock, fakeClock } from './clock.js';
export type { Answer, Ear } from './ear.js';
export type { Seen } from './every-way/observation.js';
export type { Handler } from './every-way/subject.js';
export { type EveryWayOptions, everyWay, type Way } from './every-way.js';
export { delay, drop, duplicate, type Fault, type Faults, faulty, garbage, type Plan } from './faults.js';
export { connectPair, eachRevision, type PairOptions } from './pair.js';
export { reflector } from './reflector.js';
export { type StoreLacks, type StoreSite, storeCases } from './store-cases.js';
