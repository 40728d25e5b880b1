import type { SecurityScheme } from '@tenon/openapi';
import { toVariableName } from '../mcp-hosts/hosts/variable-text.js';

/** Credential that the generated server reads from an environment variable. */
export interface CredentialVariable {
  /** Key of the security scheme in the document. */
  readonly scheme: string;
  /** Name of the environment variable. */
  readonly variable: string;
}

/** Lists the environment variables of security schemes. Schemes that send the same credential share one. */
export function listCredentials(schemes: readonly SecurityScheme[], prefix: string): readonly CredentialVariable[] {
  const unique = schemes.filter(each => schemes.find(other => isSame(each, other)) === each);
  const keys = unique.filter(isKey);
  const wanted = unique.map(each =>
    // One key needs no other name. Several keys have the names of their schemes.
    each.kind === 'basic'
      ? `${prefix}_USER_AND_PASSWORD`
      : each.kind === 'bearer'
        ? `${prefix}_TOKEN`
        : `${prefix}_${keys.length === 1 ? 'KEY' : toVariableName(each.id)}`,
  );
  const variables = wanted.map((name, index) => {
    const before = wanted.slice(0, index).filter(each => each === name).length;
    return before === 0 ? name : `${name}_${before + 1}`;
  });
  return schemes.map(scheme => ({
    scheme: scheme.id,
    variable: variables[unique.findIndex(each => isSame(each, scheme))] ?? '',
  }));
}

const isKey = ({ kind }: SecurityScheme): boolean => kind !== 'basic' && kind !== 'bearer';

/** Tells if two schemes send the same credential. Names of headers are case-insensitive. */
const isSame = (a: SecurityScheme, b: SecurityScheme): boolean =>
  a.kind === b.kind && (a.kind === 'header' ? a.name.toLowerCase() === b.name.toLowerCase() : a.name === b.name);
