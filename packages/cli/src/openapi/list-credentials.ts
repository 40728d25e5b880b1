import { isJsonObject, type JsonObject } from './json-object.js';
import { followReference } from './schema-definitions.js';

/** Credential that the generated server reads from an environment variable. */
export interface Credential {
  readonly kind: 'bearer' | 'basic' | 'header' | 'query' | 'cookie';
  /** Name of the header, query parameter or cookie. */
  readonly name: string;
  /** Name of the environment variable. */
  readonly variable: string;
}

/** Lists the credentials of the security schemes of a document. */
export function listCredentials(document: JsonObject, prefix: string): readonly Credential[] {
  const components = isJsonObject(document.components) ? document.components : {};
  const schemes = Object.values(isJsonObject(components.securitySchemes) ? components.securitySchemes : {});
  const credentials = schemes.flatMap(each => readScheme(followReference(each, document), prefix));
  return credentials.filter(
    ({ variable }, index) => credentials.findIndex(other => other.variable === variable) === index,
  );
}

function readScheme({ type, scheme, in: place, name }: JsonObject, prefix: string): readonly Credential[] {
  if (type === 'http' && String(scheme).toLowerCase() === 'basic')
    return [{ kind: 'basic', name: 'authorization', variable: `${prefix}_USER_AND_PASSWORD` }];
  if (type === 'http' || type === 'oauth2' || type === 'openIdConnect')
    return [{ kind: 'bearer', name: 'authorization', variable: `${prefix}_TOKEN` }];
  if (type === 'apiKey' && (place === 'header' || place === 'query' || place === 'cookie'))
    return [{ kind: place, name: String(name), variable: `${prefix}_KEY` }];
  return [];
}
