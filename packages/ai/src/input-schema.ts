import { type JSONSchema7, jsonSchema, type Schema } from 'ai';
import type { Tool } from 'tenon';

/**
 * Creates an AI SDK schema without validation, because the server validates arguments. Model providers reject `$schema`
 * and require `properties`.
 */
export function toInputSchema({ inputSchema }: Pick<Tool, 'inputSchema'>): Schema {
  const { $schema: _, ...schema } = inputSchema;
  return jsonSchema({ properties: {}, ...schema } as JSONSchema7);
}
