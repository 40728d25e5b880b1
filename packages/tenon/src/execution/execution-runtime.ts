/** Exports the code for input requests and steps. The first handler that needs it loads this module. */

export { LeasedRecord } from '../stores/leased-record.js';
export { Journal } from './journal.js';
export { JournaledExecution, requestAnswers } from './journaled-execution.js';
export { RequestBackend } from './request-backend.js';
export { RequestStateStore } from './request-state-store.js';
export { createJournaledStrategy, createRound } from './retry-round.js';
