import { isDeepStrictEqual } from 'node:util';
import { isObject } from '@tenon/base';
import type { ConfigFormat } from './formats/config-format.js';
import type { McpHost } from './hosts/mcp-host.js';

/**
 * Declares the inputs that the servers of a configuration use, such as `${input:API_KEY}`, and removes the declarations
 * of this function that no server uses. Inputs of the user stay.
 *
 * @param entries Servers of the text.
 */
export function updateInputs({ variables }: McpHost, format: ConfigFormat, text: string, entries: object): string {
  const { inputs: key } = variables;
  if (key === undefined) return text;
  const used = listInputNames(entries);
  const declared = readInputs(format, text, key);
  const missing = used.filter(name => !declared.some(each => isObject(each) && each.id === name));
  const surplus = declared.flatMap((each, index) => (isOwnInput(each) && !used.includes(each.id) ? [index] : []));
  const added = missing.reduce((result, name) => format.appendItem?.(result, [key], createInput(name)) ?? result, text);
  return surplus.reduceRight((result, index) => format.removeItem?.(result, [key], index) ?? result, added);
}

/** Lists the inputs of a configuration that the user has declared. */
export function listUserInputs({ variables }: McpHost, content: unknown): readonly unknown[] {
  const inputs = isObject(content) && variables.inputs !== undefined ? content[variables.inputs] : undefined;
  return Array.isArray(inputs) ? inputs.filter(each => !isOwnInput(each)) : [];
}

function readInputs(format: ConfigFormat, text: string, key: string): readonly unknown[] {
  const content = format.parse(text);
  const inputs = isObject(content) ? content[key] : undefined;
  return Array.isArray(inputs) ? inputs : [];
}

function listInputNames(entries: object): string[] {
  const names = [...JSON.stringify(entries).matchAll(/\$\{input:([A-Za-z_][A-Za-z0-9_]*)\}/g)].map(([, name]) => name);
  return [...new Set(names)].filter(name => name !== undefined);
}

const createInput = (name: string) => ({ type: 'promptString', id: name, description: name, password: true });

const isOwnInput = (value: unknown): value is ReturnType<typeof createInput> =>
  isObject(value) && typeof value.id === 'string' && isDeepStrictEqual(value, createInput(value.id));
