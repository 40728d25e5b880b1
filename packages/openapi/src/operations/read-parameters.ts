import { isObject, shorten, toJsonObject } from '@tenon/base';
import type { JsonObject } from 'tenon';
import type { DocumentSet, Located } from '../document/document-set.js';
import type { SchemaDefinitions } from '../schemas/schema-definitions.js';
import { isJsonType } from './media-types.js';
import type { OperationParameter, ValueStyle } from './operation.js';

/** Maximum length of a description, in characters. */
const MAX_DESCRIPTION = 1024;
const STYLES = ['label', 'matrix', 'spaceDelimited', 'pipeDelimited', 'tabDelimited', 'deepObject'] as const;
/** Headers that belong to the request itself, or to the connection. */
const OWN_HEADERS =
  /^(?:accept|accept-encoding|content-type|content-length|authorization|host|connection|transfer-encoding|cookie)$/i;

export const cutText = (text: string): string => shorten(text, MAX_DESCRIPTION);

/** Parameters of an operation replace those of its path with the same name and place. `changes` gets those without a name. */
export function mergeParameters(
  pathParameters: Located,
  operationParameters: Located,
  documents: DocumentSet,
  changes: string[],
): readonly Located<JsonObject>[] {
  const merged = new Map<string, Located<JsonObject>>();
  for (const { value: list, location } of [pathParameters, operationParameters]) {
    for (const value of Array.isArray(list) ? list : []) {
      const parameter = describe(documents.follow({ value, location }), value);
      const { in: place, name } = parameter.value;
      // YAML reads a name of digits as a number.
      if ((typeof name === 'string' && name !== '') || typeof name === 'number')
        merged.set(`${String(place)} ${name}`, parameter);
      else changes.push(`a parameter in ${JSON.stringify(place) ?? 'no place'} is left out: it has no name`);
    }
  }
  return [...merged.values()];
}

/** The description beside a reference replaces that of the parameter. */
function describe(parameter: Located<JsonObject>, written: unknown): Located<JsonObject> {
  if (!isObject(written) || typeof written.$ref !== 'string' || typeof written.description !== 'string')
    return parameter;
  return { ...parameter, value: { ...parameter.value, description: written.description } };
}

/** Tells if a parameter is one of those that arguments set. */
export function isSent({ value: { in: place, name } }: Located<JsonObject>): boolean {
  const isPlace = place === 'path' || place === 'query' || place === 'header' || place === 'cookie';
  return isPlace && !(place === 'header' && OWN_HEADERS.test(String(name)));
}

export function readParameter(
  { value: parameter, location }: Located<JsonObject>,
  documents: DocumentSet,
  definitions: SchemaDefinitions,
  add: (wanted: string, schema: unknown, isRequired: boolean) => string,
): OperationParameter {
  const place = parameter.in as OperationParameter['in'];
  const name = String(parameter.name);
  const [[type, media] = ['', undefined]] = Object.entries(toJsonObject(parameter.content));
  const followed = documents.follow({ value: media, location });
  const schema: Located =
    parameter.schema === undefined
      ? { value: followed.value.schema ?? {}, location: followed.location }
      : { value: parameter.schema, location };
  const converted = definitions.convert(schema);
  const described =
    typeof parameter.description === 'string' && isObject(converted) && converted.description === undefined
      ? { description: cutText(parameter.description), ...converted }
      : converted;
  const isRequired = place === 'path' || parameter.required === true;
  return {
    property: add(name, described, isRequired),
    name,
    in: place,
    ...readStyle(parameter, place === 'query' || place === 'cookie' ? 'form' : 'simple'),
    ...(parameter.schema === undefined && media !== undefined && isJsonType(type) ? { json: true } : {}),
  };
}

/** Returns the members of a parameter or a field that differ from the default of its place. */
export function readStyle({ style, explode, allowReserved }: JsonObject, defaultStyle: 'form' | 'simple'): ValueStyle {
  const used = STYLES.find(each => each === style);
  return {
    ...(used === undefined ? {} : { style: used }),
    ...(typeof explode === 'boolean' && explode !== (defaultStyle === 'form') ? { explode } : {}),
    // These two separate the elements of one value, unless they are exploded.
    ...(explode === undefined && (used === 'spaceDelimited' || used === 'pipeDelimited') ? { explode: false } : {}),
    ...(allowReserved === true ? { allowReserved } : {}),
  };
}
