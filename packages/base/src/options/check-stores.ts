import { type Check, checkFunction, checkObject } from './check.js';

/** Checks an argument that must be `values` of stores. */
export const checkValues: Check = checkObject({ get: checkFunction, put: checkFunction, list: checkFunction });
/** Checks an argument that must be stores. */
export const checkStores: Check = checkObject({ values: checkValues, bus: checkObject() });
