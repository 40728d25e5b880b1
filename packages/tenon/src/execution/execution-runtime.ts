/** What asking works by: loaded when somebody asks, or comes back with answers. */

export { Journal } from './journal.js';
export { JournaledExecution } from './journaled-execution.js';
export { RequestBackend } from './request-backend.js';
export { RequestStateStore } from './request-state-store.js';
export { createJournaledStrategy } from './retry-round.js';
