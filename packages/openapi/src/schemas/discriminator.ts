import { isObject, toJsonObject } from '@tenon/base';
import type { JsonObject } from 'tenon';
import { BrokenReferenceError, type DocumentSet, type Located } from '../document/document-set.js';

/** Property whose value selects one of several schemas. */
export interface Discriminator {
  readonly property: string;
  /** Schemas with the values that select them, by their resolved references. */
  readonly selected: ReadonlyMap<string, Selected>;
}

/** Schema that a discriminator selects. */
interface Selected {
  readonly reference: string;
  readonly values: readonly string[];
}

/** Reads the mapping of a discriminator. The keys are the resolved references. */
export function readDiscriminator(
  { discriminator }: JsonObject,
  location: string,
  documents: DocumentSet,
): Discriminator | undefined {
  if (!isObject(discriminator) || typeof discriminator.propertyName !== 'string') return undefined;
  const selected = new Map<string, Selected>();
  for (const [value, written] of Object.entries(toJsonObject(discriminator.mapping))) {
    const reference = toReference(String(written));
    const target = resolveTarget(reference, location, documents);
    if (target === undefined) continue;
    selected.set(target, { reference, values: [...(selected.get(target)?.values ?? []), value] });
  }
  return { property: discriminator.propertyName, selected };
}

/** A mapping has references, or names of schemas. */
const toReference = (written: string): string =>
  /^[\w.-]+$/.test(written) && !/\.(?:json|ya?ml)$/i.test(written) ? `#/components/schemas/${written}` : written;

function resolveTarget(reference: string, location: string, documents: DocumentSet): string | undefined {
  try {
    return documents.resolve(reference, location);
  } catch (error) {
    if (error instanceof BrokenReferenceError) return undefined;
    throw error;
  }
}

/** Adds the values of the property that select a schema. One that names them itself stays. */
export function selectByValue(
  schema: unknown,
  location: string,
  documents: DocumentSet,
  found: Discriminator,
): unknown {
  if (!isObject(schema) || typeof schema.$ref !== 'string') return schema;
  const { values } = found.selected.get(resolveTarget(schema.$ref, location, documents) ?? '') ?? {};
  if (values === undefined || namesValues({ value: schema, location }, found.property, documents)) return schema;
  return { ...schema, properties: { [found.property]: { enum: values } }, required: [found.property] };
}

function namesValues(schema: Located, property: string, documents: DocumentSet): boolean {
  try {
    const { value, location } = documents.follow(schema);
    const own = isObject(value.properties) ? value.properties[property] : undefined;
    const { value: described } = documents.follow({ value: own, location });
    return described.enum !== undefined || described.const !== undefined;
  } catch (error) {
    if (error instanceof BrokenReferenceError) return true;
    throw error;
  }
}
