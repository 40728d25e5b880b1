import { isObject } from '@tenon/base';
import type { JsonObject } from 'tenon';
import { toVariableName } from '../mcp-hosts/hosts/variable-text.js';
import type { DocumentSet, Located } from './document-set.js';

/** Credential that the generated server reads from an environment variable. */
export interface Credential {
  readonly kind: 'bearer' | 'basic' | 'header' | 'query' | 'cookie';
  /** Name of the header, query parameter or cookie. */
  readonly name: string;
  /** Name of the environment variable. */
  readonly variable: string;
}

/** Places of an API key. */
const PLACES = ['header', 'query', 'cookie'] as const;

/** Lists the credentials of the security schemes of a document. */
export function listCredentials(documents: DocumentSet, prefix: string): readonly Credential[] {
  const { value: document, location } = documents.root;
  const components = isObject(document.components) ? document.components : {};
  const schemes = Object.entries(isObject(components.securitySchemes) ? components.securitySchemes : {});
  const credentials = schemes.flatMap(([id, value]) =>
    readScheme(id, followScheme(documents, { value, location }), prefix),
  );
  const unique = credentials.filter(each => credentials.find(other => isSame(each, other)) === each);
  const keys = unique.filter(isKey);
  // One key needs no other name. Several keys have the names of their schemes.
  if (keys.length === 1) return unique.map(each => (isKey(each) ? { ...each, variable: `${prefix}_KEY` } : each));
  return unique.map((each, index) => ({ ...each, variable: createUniqueName(unique, index) }));
}

/** A scheme that cannot be read has no credential. */
function followScheme(documents: DocumentSet, scheme: Located): JsonObject {
  try {
    return documents.follow(scheme).value;
  } catch {
    return {};
  }
}

const isKey = ({ kind }: Credential): boolean => PLACES.some(place => place === kind);

/** Tells if two schemes send the same credential. Names of headers are case-insensitive. */
const isSame = (a: Credential, b: Credential): boolean =>
  a.kind === b.kind && (a.kind === 'header' ? a.name.toLowerCase() === b.name.toLowerCase() : a.name === b.name);

function createUniqueName(credentials: readonly Credential[], index: number): string {
  const { variable = '' } = credentials[index] ?? {};
  const before = credentials.slice(0, index).filter(each => each.variable === variable).length;
  return before === 0 ? variable : `${variable}_${before + 1}`;
}

function readScheme(id: string, { type, scheme, in: place, name }: JsonObject, prefix: string): readonly Credential[] {
  if (type === 'http' && String(scheme).toLowerCase() === 'basic')
    return [{ kind: 'basic', name: 'authorization', variable: `${prefix}_USER_AND_PASSWORD` }];
  if (type === 'http' || type === 'oauth2' || type === 'openIdConnect')
    return [{ kind: 'bearer', name: 'authorization', variable: `${prefix}_TOKEN` }];
  const kind = type === 'apiKey' ? PLACES.find(each => each === place) : undefined;
  return kind === undefined ? [] : [{ kind, name: String(name), variable: `${prefix}_${toVariableName(id)}` }];
}
