import { isObject, toJsonObject } from '@tenon/base';
import { createServer, type JsonObject, resource, TenonError, tool } from 'tenon';
import type { ApiOperation } from './operation.js';

/** Schemas that a server accepts, with what was changed, or the reason that there are none. */
export type CheckedSchemas =
  | { readonly input: JsonObject; readonly output?: JsonObject; readonly changes: readonly string[] }
  | { readonly reason: string };

/**
 * Compiles the schemas of an operation as a server does. A parameter whose schema does not compile accepts any value, and
 * the schema of a response that does not compile is left out.
 */
export function checkSchemas({ input, output }: Pick<ApiOperation, 'input' | 'output'>): CheckedSchemas {
  const checked = checkInput(input);
  if ('reason' in checked || output === undefined) return checked;
  const issue = findIssue({ type: 'object' }, output);
  if (issue === undefined) return { ...checked, output };
  return { ...checked, changes: [...checked.changes, `the schema of the response is left out: ${issue}`] };
}

function checkInput(input: JsonObject): CheckedSchemas {
  const issue = findIssue(input);
  if (issue === undefined) return { input, changes: [] };
  const changes: string[] = [];
  const properties = Object.entries(toJsonObject(input.properties)).map(([name, schema]) => {
    const own = findIssue({ ...input, properties: { [name]: schema }, required: [] });
    if (own === undefined) return [name, schema];
    changes.push(`any value is accepted for \`${name}\`: ${own}`);
    return [
      name,
      isObject(schema) && typeof schema.description === 'string' ? { description: schema.description } : {},
    ];
  });
  const { $defs: _, ...rest } = input;
  for (const base of [input, rest]) {
    const repaired: JsonObject = { ...base, properties: Object.fromEntries(properties) };
    if (findIssue(repaired) === undefined) return { input: repaired, changes };
  }
  return { reason: issue };
}

function findIssue(input: JsonObject, output?: JsonObject): string | undefined {
  return findServerIssue({
    tools: { operation: tool({ input, ...(output === undefined ? {} : { output }), run: () => '' }) },
  });
}

/** Returns the reason that a server does not accept a URI or a template. */
export const findUriIssue = (uri: string): string | undefined =>
  findServerIssue({ resources: { [uri]: resource({ read: () => '' }) } });

function findServerIssue(
  definitions: Pick<Parameters<typeof createServer>[0], 'tools' | 'resources'>,
): string | undefined {
  try {
    createServer({ name: 'check', version: '1.0.0', ...definitions }).close();
    return undefined;
  } catch (error) {
    const { summary, received } = TenonError.from(error);
    return received === undefined ? summary : `${summary}, got ${received}`;
  }
}
