import type { JsonObject } from '@tenon/base';
import type { PeerSchemaValidator } from './peer-schema.js';

/**
 * Compiles a JSON Schema that a peer sent, and loads the compiler for the first one. The size of the schema, the steps
 * of a check and the cost of its patterns are limited. A schema beyond the limits cannot validate values.
 */
export async function loadPeerSchema(json: JsonObject): Promise<PeerSchemaValidator> {
  const { compilePeerSchema } = await import('./peer-schema.js');
  return compilePeerSchema(json);
}
