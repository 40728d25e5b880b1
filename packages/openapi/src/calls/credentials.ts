import { encodeBase64, findNearestKey, isObject, type MaybePromise, TenonError } from '@tenon/base';
import type { Context } from 'tenon';
import type { ApiOperation, SecurityScheme } from '../operations/operation.js';

/** Credential of a security scheme: a token or a key, or a user and a password for HTTP Basic. */
export type Credential = string | { readonly username: string; readonly password: string };

/** Credentials by the keys of the security schemes of the document. A function gets the context of the call. */
export type Credentials = Readonly<
  Record<string, Credential | undefined | ((context: Context) => MaybePromise<Credential | undefined>)>
>;

/** Credentials of one request, with the texts that no error may show. */
export interface RequestCredentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly cookies: readonly (readonly [name: string, value: string])[];
  readonly secrets: readonly string[];
  /** Schemes that the operation needs and for which there is no credential. */
  readonly missing: readonly string[];
}

/** @throws TenonError `openapi/option` for a credential of an unknown scheme */
export function checkCredentials(auth: Credentials, schemes: readonly SecurityScheme[]): void {
  const known = schemes.map(({ id }) => id);
  for (const name of Object.keys(auth)) {
    if (known.includes(name)) continue;
    const nearest = findNearestKey(name, known);
    throw new TenonError('openapi/option', `\`auth\` has the unknown security scheme ${JSON.stringify(name)}`, {
      expected: known.length === 0 ? 'no credentials, because the document has no security schemes' : known.join(', '),
      hint: nearest === undefined ? 'use the key of a scheme in the document' : `did you mean "${nearest}"?`,
    });
  }
}

/**
 * Selects the credentials for an operation: those of the first alternative whose schemes all have one. An operation
 * without alternatives gets all credentials.
 */
export async function getCredentials(
  { security }: ApiOperation,
  schemes: readonly SecurityScheme[],
  auth: Credentials,
  context: Context,
): Promise<RequestCredentials> {
  const values = new Map<string, Credential>();
  const load = async (id: string): Promise<boolean> => {
    if (values.has(id)) return true;
    const given = Object.hasOwn(auth, id) ? auth[id] : undefined;
    const value = typeof given === 'function' ? await given(context) : given;
    if (value === undefined || value === '') return false;
    values.set(id, value);
    return true;
  };
  const used = new Set<string>();
  let missing: readonly string[] = [];
  for (const alternative of security ?? schemes.map(({ id }) => [id])) {
    const lacking: string[] = [];
    for (const id of alternative) if (!(await load(id))) lacking.push(id);
    if (lacking.length > 0) {
      missing = missing.length === 0 ? lacking : missing;
      continue;
    }
    for (const id of alternative) used.add(id);
    if (security !== undefined) break;
  }
  return toRequest(
    schemes.filter(({ id }) => used.has(id)),
    values,
    used.size > 0 || security === undefined || security.some(each => each.length === 0) ? [] : missing,
  );
}

function toRequest(
  schemes: readonly SecurityScheme[],
  values: ReadonlyMap<string, Credential>,
  missing: readonly string[],
): RequestCredentials {
  const headers: Record<string, string> = {};
  const query: [string, string][] = [];
  const cookies: [string, string][] = [];
  const secrets: string[] = [];
  for (const { id, kind, name } of schemes) {
    const credential = values.get(id) ?? '';
    const { username, password } = isObject(credential) ? credential : { username: '', password: '' };
    const plain = typeof credential === 'string' ? credential : `${username}:${password}`;
    secrets.push(plain, ...(typeof credential === 'string' ? [] : [String(password)]));
    if (kind === 'basic') {
      const encoded = encodeBase64(new TextEncoder().encode(plain));
      secrets.push(encoded);
      headers.authorization = `Basic ${encoded}`;
    } else if (kind === 'bearer') headers.authorization = `Bearer ${plain}`;
    else if (kind === 'header') headers[name.toLowerCase()] = plain;
    else (kind === 'query' ? query : cookies).push([name, plain]);
  }
  return { headers, query, cookies, secrets, missing };
}
