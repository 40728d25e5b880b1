/** What asking works by: loaded when somebody asks, or comes back with answers. */
export { Entered } from './entered.js';
export { Journal } from './journal.js';
export { Requests } from './requests.js';
export { retrying } from './retry.js';
export { States } from './states.js';
