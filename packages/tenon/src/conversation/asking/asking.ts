import type { JsonObject } from '../../jsonrpc/message.js';
import type { Inputs } from '../../model/shapes.js';

/** Asks the client one thing. Rejects when the client can not be asked or says no with an error. */
export type Ask = (method: string, params: JsonObject) => Promise<JsonObject>;

/** Something that may ask, and that may be entered again with the answers. */
export type Asker = (ask: Ask, inputs: Inputs) => Promise<JsonObject>;

/** How a handler asks the client, in the manner of one dialect. */
export type Asking = (asker: Asker) => Promise<JsonObject>;
