// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of configurations are written so
import { INVALID_PARAMS, TenonError } from '@tenon/base';
import { quoteName } from './config-finding.js';
import { isLoaderVariable } from './loader-variables.js';
import type { ResolveFault } from './resolve-fault.js';
import { parseReferences, type VariableReference } from './variable-references.js';

/**
 * Parts of a server that contain values of the caller, as `${caller:NAME}`. `$${` stands for `${`. Each distinct set of
 * values gets its own process or connection.
 */
export interface CallerTemplates {
  /**
   * Values of environment variables, by name.
   * @default none
   */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /**
   * Values of headers, by name.
   * @default none
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * URL with values in its path or query.
   * @default none
   */
  readonly url?: string | undefined;
}

/** Values of a caller by name. A value that the caller does not have is `undefined`. */
export type CallerValues = Readonly<Record<string, string | undefined>>;

/** Maximum length of one value of a caller, in characters. */
export const MAX_CALLER_VALUE = 512;

const PLAIN_NAMES: readonly string[] = ['user', 'client', 'session'];
/** Headers with credentials of the caller. A host must not pass them on. */
const CREDENTIAL_HEADERS =
  /^(?:authorization|proxy-authorization|cookie|dpop|mcp-session-id|x-forwarded-access-token|x-amzn-oidc-.*)$/i;
const EXPECTED_NAMES = '`user`, `client`, `session`, `claim.NAME` of the access token, or `header.NAME` of the request';

/** Replaces `${` so that it stands for itself in a template. */
export const escapeReferences = (text: string): string => text.replaceAll('${', () => '$${');

/** Splits the name of a value of the caller: `claim.NAME` and `header.NAME`. Other names have no kind. */
export function splitCallerName(name: string): { readonly kind: string | undefined; readonly rest: string } {
  const [, kind, rest = ''] = /^(claim|header)\.(.+)$/s.exec(name) ?? [];
  return { kind, rest };
}

/** Returns the reason why a value of the caller cannot be used. */
export function checkCallerReference({ name, fallback }: VariableReference): ResolveFault | undefined {
  const { kind, rest } = splitCallerName(name);
  const isKnown =
    PLAIN_NAMES.includes(name) ||
    (kind === 'claim' && /^[\w.:/-]{1,100}$/.test(rest)) ||
    (kind === 'header' && /^[\w-]{1,100}$/.test(rest));
  if (!isKnown)
    return {
      code: 'config/caller-value',
      summary: `unknown value of the caller ${quoteName(name)}`,
      expected: EXPECTED_NAMES,
    };
  if (kind === 'header' && CREDENTIAL_HEADERS.test(rest))
    return {
      code: 'config/caller-value',
      summary: `the header ${quoteName(rest)} contains credentials of the caller, which are never passed on`,
      next: 'use another header, or let the server sign its users in',
    };
  if (fallback !== undefined && (/[${}]/.test(fallback) || findInvalidText(fallback) !== undefined))
    return {
      code: 'config/caller-value',
      summary: `invalid default of the value of the caller ${quoteName(name)}`,
      expected: `1 to ${MAX_CALLER_VALUE} printable characters without variables`,
    };
  return undefined;
}

export const formatCallerReference = ({ name, fallback }: VariableReference): string =>
  fallback === undefined ? `\${caller:${name}}` : `\${caller:${name}:-${fallback}}`;

/** Headers that decide where a request arrives, or that belong to the protocol. */
const ROUTING_HEADERS = /^(?:host|forwarded|x-forwarded-.*|connection|content-length|transfer-encoding|mcp-.*)$/i;

/** Tells if a template contains a value of the caller. */
export const isCallerTemplate = (template: string): boolean =>
  parseReferences(template).some(piece => typeof piece !== 'string' && piece.kind === 'caller');

/** Returns the text of a template without values of the caller. */
export const toPlainText = (template: string): string => mapCallerValues(template, () => '');

/** Replaces the values of the caller in a template. */
export function mapCallerValues(template: string, toText: (reference: VariableReference) => string): string {
  return parseReferences(template)
    .map(piece => {
      if (typeof piece === 'string') return piece;
      return piece.kind === 'caller' ? toText(piece) : `\${${piece.kind}:${piece.name}}`;
    })
    .join('');
}

/** Lists the names of the values of the caller in all parts of a server. */
export function listCallerNames({ env = {}, headers = {}, url = '' }: CallerTemplates): string[] {
  const templates = [...Object.values(env), ...Object.values(headers), url];
  const names = templates.flatMap(template =>
    parseReferences(template).flatMap(piece =>
      typeof piece !== 'string' && piece.kind === 'caller' ? [piece.name] : [],
    ),
  );
  return [...new Set(names)].sort();
}

/** Part of a server that must not contain the values of the caller that it contains. */
export interface TemplateIssue {
  /** Path of the part: `env.NAME`, `headers.NAME` or `url`. */
  readonly key: string;
  readonly fault: ResolveFault;
}

/** Finds parts that must not contain values of the caller, and unknown values. */
export function findTemplateIssues({ env = {}, headers = {}, url }: CallerTemplates): TemplateIssue[] {
  const parts = [
    ...Object.entries(env).map(([name, text]) => ({ key: `env.${name}`, text, fault: checkVariable(name) })),
    ...Object.entries(headers).map(([name, text]) => ({ key: `headers.${name}`, text, fault: checkHeader(name) })),
    ...(url === undefined ? [] : [{ key: 'url', text: url, fault: checkUrlTemplate(url) }]),
  ];
  return parts.flatMap(({ key, text, fault }) => {
    const found = fault ?? findReferenceFault(text);
    return found ? [{ key, fault: found }] : [];
  });
}

function findReferenceFault(template: string): ResolveFault | undefined {
  for (const piece of parseReferences(template)) {
    if (typeof piece === 'string') continue;
    if (piece.kind !== 'caller')
      return { code: 'config/caller-value', summary: 'another variable in a template', expected: '`${caller:NAME}`' };
    const fault = checkCallerReference(piece);
    if (fault) return fault;
  }
  return undefined;
}

function checkVariable(name: string): ResolveFault | undefined {
  if (!isLoaderVariable(name)) return undefined;
  return {
    code: 'config/caller-value',
    summary: `a value of the caller in the variable ${quoteName(name)}, which decides what programs load or trust`,
    next: 'pass the value by another variable',
  };
}

function checkHeader(name: string): ResolveFault | undefined {
  if (!ROUTING_HEADERS.test(name)) return undefined;
  return {
    code: 'config/caller-value',
    summary: `a value of the caller in the header ${quoteName(name)}, which decides where a request arrives`,
    next: 'pass the value by another header',
  };
}

/** Values of the caller may stand only in the path and the query of a URL. */
function checkUrlTemplate(template: string): ResolveFault | undefined {
  const pieces = parseReferences(template);
  const first = pieces.findIndex(piece => typeof piece !== 'string');
  const last = pieces.findLastIndex(piece => typeof piece !== 'string');
  const isInPath = /^https?:\/\/[^/?#\\]+[/?]/i.test(pieces.slice(0, Math.max(first, 0)).join(''));
  const hasFragment = pieces.slice(0, last).some(piece => typeof piece === 'string' && piece.includes('#'));
  if (isInPath && !hasFragment) return undefined;
  return {
    code: 'config/caller-value',
    summary: 'a value of the caller in the scheme, the host, the port or the fragment of `url`',
    expected: 'it only in the path or the query, as in https://example.com/${caller:user}/mcp',
    next: 'write the host as text, and one server for each host',
  };
}

/** Returns the reason why a text cannot be a value of a caller. */
function findInvalidText(text: string): string | undefined {
  if (text === '') return 'an empty text';
  if (text.length > MAX_CALLER_VALUE) return `more than ${MAX_CALLER_VALUE} characters`;
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)) return 'a control character or a line break';
  if (/\p{Surrogate}/u.test(text)) return 'an incomplete character';
  return undefined;
}

/** Target of a server after its values were filled. */
export interface FilledParts {
  readonly env: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly url: string | undefined;
}

/**
 * Fills the values of a caller into the parts of a server. In a URL, a value is a part of one path segment or of one
 * query value, whatever characters it has.
 *
 * @throws TenonError `host/caller-value` for a value that is missing, or that a part cannot contain.
 */
export function fillTemplates(server: string, templates: CallerTemplates, values: CallerValues): FilledParts {
  const { env, headers, url } = templates;
  const getValue = ({ name, fallback }: VariableReference, findIssue: (value: string) => string | undefined) => {
    const value = (Object.hasOwn(values, name) ? values[name] : undefined) ?? fallback;
    if (value === undefined) throw createMissingValueError(server, name);
    const issue = findInvalidText(value) ?? findIssue(value);
    if (issue !== undefined) throw createInvalidValueError(server, name, issue);
    return value;
  };
  const fillAll = (members: Readonly<Record<string, string>> = {}, findIssue: (value: string) => string | undefined) =>
    Object.fromEntries(
      Object.entries(members).map(([name, template]) => [
        name,
        mapCallerValues(template, reference => getValue(reference, findIssue)),
      ]),
    );
  return {
    env: fillAll(env, () => undefined),
    headers: fillAll(headers, value =>
      /[^\x20-\x7e\xa0-\xff]/.test(value) ? 'a character that headers cannot have' : undefined,
    ),
    url: url === undefined ? undefined : fillUrl(server, url, getValue),
  };
}

function fillUrl(
  server: string,
  template: string,
  getValue: (reference: VariableReference, findIssue: (value: string) => string | undefined) => string,
): string {
  let url = '';
  for (const piece of parseReferences(template)) {
    const isInQuery = url.includes('?');
    const findIssue = (value: string) =>
      !isInQuery && /[/\\]/.test(value) ? 'a slash in the path of a URL' : undefined;
    url += typeof piece === 'string' ? piece : encodeURIComponent(getValue(piece, findIssue));
  }
  const [path = ''] = url.split('?');
  // The parser of URLs removes such segments, and the request would reach another path.
  if (path.split('/').some(segment => /^(?:\.|%2e){1,2}$/i.test(segment)))
    throw createInvalidValueError(server, listCallerNames({ url: template }).join(', '), 'a path segment of dots');
  return url;
}

function createMissingValueError(server: string, name: string): TenonError {
  return new TenonError('host/caller-value', `the server "${server}" needs the value \`${name}\` of its caller`, {
    expected: describeSource(name),
    received: 'a caller without it',
    hint: `send it, or set a default in the configuration: \${caller:${name}:-…}`,
    rpcCode: INVALID_PARAMS,
  });
}

function createInvalidValueError(server: string, name: string, received: string): TenonError {
  return new TenonError('host/caller-value', `the server "${server}" cannot use the value \`${name}\` of its caller`, {
    expected: `1 to ${MAX_CALLER_VALUE} printable characters`,
    received,
    hint: 'use the server as another user, or with another value',
    rpcCode: INVALID_PARAMS,
  });
}

function describeSource(name: string): string {
  if (name === 'session') return 'a request of a session';
  const { kind, rest } = splitCallerName(name);
  if (kind === 'header') return `the header \`${rest}\` in the request`;
  return 'a request with an access token that contains it';
}
