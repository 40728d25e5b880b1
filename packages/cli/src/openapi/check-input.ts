import { isObject } from '@tenon/base';
import { createServer, type JsonObject, TenonError, tool } from 'tenon';
import type { Operation } from './list-operations.js';

/** Input schema that the written server accepts, with what was changed, or the reason that there is none. */
export type CheckedInput =
  | { readonly input: JsonObject; readonly changes: readonly string[] }
  | { readonly reason: string };

/**
 * Compiles the input schema of an operation as the written server does. A parameter whose schema does not compile accepts
 * any value.
 */
export function checkInput(operation: Operation): CheckedInput {
  const { input } = operation;
  if (findIssue(operation, input) === undefined) return { input, changes: [] };
  const changes: string[] = [];
  const properties = Object.entries(isObject(input.properties) ? input.properties : {}).map(([name, schema]) => {
    const issue = findIssue(operation, { ...input, properties: { [name]: schema }, required: [] });
    if (issue === undefined) return [name, schema];
    changes.push(`any value is accepted for \`${name}\`: ${issue}`);
    return [
      name,
      isObject(schema) && typeof schema.description === 'string' ? { description: schema.description } : {},
    ];
  });
  const { $defs: _, ...rest } = input;
  for (const base of [input, rest]) {
    const repaired: JsonObject = { ...base, properties: Object.fromEntries(properties) };
    if (findIssue(operation, repaired) === undefined) return { input: repaired, changes };
  }
  return { reason: findIssue(operation, input) ?? 'the input schema does not compile' };
}

function findIssue({ name, description }: Operation, input: JsonObject): string | undefined {
  try {
    createServer({
      name: 'check',
      version: '1.0.0',
      tools: { [name]: tool({ description, input, run: () => '' }) },
    }).close();
    return undefined;
  } catch (error) {
    const { summary, received } = TenonError.from(error);
    return received === undefined ? summary : `${summary}, got ${received}`;
  }
}
