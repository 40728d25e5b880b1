/** Parts for input requests and steps: loaded by the first handler that needs them. */

export { Journal } from './journal.js';
export { JournaledExecution } from './journaled-execution.js';
export { RequestBackend } from './request-backend.js';
export { RequestStateStore } from './request-state-store.js';
export { createJournaledStrategy, createRound } from './retry-round.js';
