import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import { mapAcceptedNames } from './keys.js';
import { type Mend, mendObject } from './mend.js';
import type { Rules } from './provider.js';
import { add } from './wording.js';

const MAPS = ['properties', 'patternProperties', 'dependentSchemas'];
/** These name properties, and would name the wrong ones after a property has got another name. */
const NAMING = ['dependentRequired', 'dependentSchemas', 'if', 'then', 'else', 'propertyNames'];

/** A schema for a provider that reads JSON Schema whole, and what undoes it. */
export function fitCompleteSchema(
  schema: JsonObject,
  rules: Rules,
): { schema: JsonObject; mend: Mend | undefined; note: string } {
  const written = rewritten(schema, rules);
  const names = Object.keys(isObject(written.properties) ? written.properties : {});
  const outers = mapAcceptedNames(names, rules.keys);
  if (rules.keysAt === 'nowhere' || names.every(name => outers.get(name) === name)) {
    return { schema: written, mend: undefined, note: '' };
  }
  const lost = NAMING.filter(keyword => written[keyword] !== undefined);
  const renamed = Object.entries(written).filter(([keyword]) => !lost.includes(keyword));
  const outer = (name: string) => outers.get(name) ?? name;
  const properties = Object.entries(isObject(written.properties) ? written.properties : {});
  const keys = names.map(inner => [outer(inner), { inner, mend: undefined, absent: undefined }] as const);
  return {
    schema: {
      ...Object.fromEntries(renamed),
      properties: Object.fromEntries(properties.map(([name, each]) => [outer(name), each])),
      ...(Array.isArray(written.required) ? { required: written.required.map(name => outer(String(name))) } : {}),
    },
    mend: mendObject(new Map(keys)),
    note: lost.length > 0 ? 'The server checks further conditions.' : '',
  };
}

function rewritten(node: JsonObject, rules: Rules): JsonObject {
  const written: JsonObject = {};
  for (const [keyword, value] of Object.entries(node)) {
    written[keyword] = MAPS.includes(keyword) ? eachOf(value, rules) : within(keyword, value, rules);
  }
  const { format } = node;
  if (typeof format === 'string' && rules.formats !== undefined && !rules.formats.has(format)) {
    delete written.format;
    written.description = add(node.description, [`Format: ${format.slice(0, 40)}.`]);
  }
  const isArray = [node.type].flat().includes('array');
  if (isArray && node.items === undefined && node.prefixItems === undefined) written.items = {};
  return written;
}

const VALUES = new Set(['enum', 'const', 'default', 'examples', 'required', 'dependentRequired', 'type']);

function within(keyword: string, value: unknown, rules: Rules): unknown {
  if (VALUES.has(keyword)) return value;
  if (Array.isArray(value)) return value.map(each => (isObject(each) ? rewritten(each, rules) : each));
  return isObject(value) ? rewritten(value, rules) : value;
}

function eachOf(value: unknown, rules: Rules): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, within('properties', each, rules)]));
}
