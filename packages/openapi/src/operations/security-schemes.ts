import { isObject, toJsonObject } from '@tenon/base';
import type { JsonObject } from 'tenon';
import type { DocumentSet, Located } from '../document/document-set.js';
import type { SecurityScheme } from './operation.js';

/** Places of an API key. */
const PLACES = ['header', 'query', 'cookie'] as const;

/** Lists the security schemes of a document whose credentials can be sent. */
export function listSecuritySchemes(documents: DocumentSet): readonly SecurityScheme[] {
  const { value: document, location } = documents.root;
  const components = toJsonObject(document.components);
  const schemes = Object.entries(toJsonObject(components.securitySchemes));
  return schemes.flatMap(([id, value]) => readScheme(id, followScheme(documents, { value, location })));
}

/** A scheme that cannot be read has no credential. */
function followScheme(documents: DocumentSet, scheme: Located): JsonObject {
  try {
    return documents.follow(scheme).value;
  } catch {
    return {};
  }
}

function readScheme(id: string, { type, scheme, in: place, name }: JsonObject): readonly SecurityScheme[] {
  // Swagger 2.0 has the type `basic`.
  if (type === 'basic' || (type === 'http' && String(scheme).toLowerCase() === 'basic'))
    return [{ id, kind: 'basic', name: 'authorization' }];
  if (type === 'http' || type === 'oauth2' || type === 'openIdConnect')
    return [{ id, kind: 'bearer', name: 'authorization' }];
  const kind = type === 'apiKey' ? PLACES.find(each => each === place) : undefined;
  return kind === undefined ? [] : [{ id, kind, name: String(name) }];
}

/** Returns the alternatives of schemes that an operation needs. `undefined` if the document names none. */
export function readSecurity(operation: JsonObject, document: JsonObject): readonly (readonly string[])[] | undefined {
  const security = operation.security ?? document.security;
  return Array.isArray(security) ? security.filter(isObject).map(each => Object.keys(each)) : undefined;
}
