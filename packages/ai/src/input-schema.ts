import { type JSONSchema7, jsonSchema, type Schema } from 'ai';
import type { Tool } from 'tenon';

/** Makes a schema of the AI SDK without a check: the server checks arguments. Providers refuse `$schema` and require `properties`. */
export function toInputSchema({ inputSchema }: Pick<Tool, 'inputSchema'>): Schema {
  const { $schema: _, ...schema } = inputSchema;
  return jsonSchema({ properties: {}, ...schema } as JSONSchema7);
}
