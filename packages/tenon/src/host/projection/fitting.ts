import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import type { Mend } from './mend.js';
import { isNever } from './object.js';
import { normalizeSchema } from './plain.js';
import type { Rules } from './provider.js';
import { MAX_SCHEMAS, REACHES, type SchemaReading } from './reading.js';
import { createRoot, wrapSchema } from './root.js';
import { write } from './subset.js';
import { fitCompleteSchema } from './whole.js';

/** Characters of one schema as it is sent. */
const MAX_SCHEMA_LENGTH = 100_000;
/** Schemas that are written for one tool; alternatives write what they share once each. */
const MAX_WRITTEN = 5_000;

export interface Fitted {
  readonly schema: JsonObject;
  readonly mend: Mend;
  /** For the description of the tool. */
  readonly notes: readonly string[];
}

/** Makes of the input schema of a tool what a provider accepts, or says why that cannot be. */
export function fitSchema(inputSchema: unknown, rules: Rules): Fitted | { readonly unfit: string } {
  if (!isObject(inputSchema)) return { unfit: 'it has no input schema' };
  for (const reach of REACHES) {
    const start = { left: MAX_SCHEMAS, isTooLarge: false, fault: undefined, following: [] };
    const reading: SchemaReading = { root: inputSchema, reach, ...start };
    const schema = normalizeSchema(inputSchema, reading);
    if (reading.fault !== undefined) return { unfit: reading.fault };
    if (reading.isTooLarge) continue;
    const root = createRoot(schema);
    if ('unfit' in root) return root;
    const made = rules.subset === undefined ? fitWhole(root, rules) : fitSubset(root, rules);
    if (JSON.stringify(made.schema).length <= MAX_SCHEMA_LENGTH) return made;
  }
  return { unfit: `its input schema has more than ${MAX_SCHEMAS} parts or ${MAX_SCHEMA_LENGTH} characters` };
}

type FittedRoot = Exclude<ReturnType<typeof createRoot>, { readonly unfit: string }>;

function fitWhole(root: FittedRoot, rules: Rules): Fitted {
  const { schema, mend, note } = fitCompleteSchema(root.schema, rules);
  return { schema, mend: both(mend, root.mend), notes: [...root.notes, note] };
}

function fitSubset(start: FittedRoot, rules: Rules): Fitted {
  const root = isMap(start.schema) ? { ...wrapSchema(start.schema), notes: start.notes } : start;
  const subset = rules.subset ?? { string: [], number: [], array: [], strict: false, openapi: false };
  const properties = isObject(root.schema.properties) ? root.schema.properties : {};
  const isEmpty = Object.values(properties).every(each => isObject(each) && isNever(each));
  if (isEmpty) return { schema: emptyObject(subset.strict), mend: value => value, notes: root.notes };
  const { schema, mend } = write(root.schema, { rules, subset, counter: { left: MAX_WRITTEN, values: 0 } });
  const { description, ...rest } = schema;
  return {
    schema: rest,
    mend: both(mend, root.mend),
    notes: [...root.notes, typeof description === 'string' ? description : ''],
  };
}

/** Arguments without any names: only what their values are is known, if anything. */
function isMap({ properties, additionalProperties, patternProperties }: JsonObject): boolean {
  if (isObject(properties) && Object.keys(properties).length > 0) return false;
  return additionalProperties === true || isObject(additionalProperties) || isObject(patternProperties);
}

function emptyObject(strict: boolean): JsonObject {
  return { type: 'object', properties: {}, ...(strict ? { required: [], additionalProperties: false } : {}) };
}

/** What was done last is undone first. */
function both(last: Mend | undefined, first: Mend | undefined): Mend {
  return value => {
    const mended = last ? last(value) : value;
    return first ? first(mended) : mended;
  };
}
