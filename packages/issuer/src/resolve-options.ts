import {
  checkArray,
  checkBoolean,
  checkClock,
  checkEither,
  checkFunction,
  checkObject,
  checkOptional,
  checkStores,
  classifyHost,
  createErrorReporter,
  createUrlGuard,
  isEncryptedOrLocal,
  logError,
  parseUrl,
  parseWebUrl,
  requireArgument,
  systemClock,
  toRecordValues,
  type UrlGuard,
} from '@tenon/base';
import { isScope } from '@tenon/base/oauth';
import { memoryStores } from 'tenon';
import { createGuardedFetch } from 'tenon/auth';
import { createRedirectCheck } from './clients/redirect-rules.js';
import { isRedirectUri } from './clients/redirect-uri.js';
import { createRegistrationStore } from './clients/registration-store.js';
import { checkMembers, createOptionError, OPTIONS_CODE } from './option-error.js';
import type { IssuerBaseOptions, IssuerLimits, IssuerSettings } from './options.js';
import { createSigningKeys, type SigningKeys } from './signing-keys.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/**
 * Checks the options and applies the defaults.
 *
 * @throws TenonError `auth/issuer-options`
 */
export function resolveIssuerOptions(options: IssuerBaseOptions): IssuerSettings {
  checkKinds(options);
  const {
    clock,
    stores = memoryStores({ clock }),
    fetch,
    clientMetadataDocuments = true,
    resources,
    onError,
    redirectSchemes = [],
    clients = [],
  } = options;
  const url = parseIssuerUrl(options.url);
  const scopes = new Map(Object.entries(options.scopes ?? {}));
  const invalidResource = resources?.find(resource => !isResourceUrl(resource));
  if (invalidResource !== undefined)
    throw createOptionError('resources', 'absolute URLs without a fragment', invalidResource);
  for (const [scope, description] of scopes) {
    if (typeof description !== 'string') throw createOptionError('scopes', 'a description of each scope', scope);
    if (!isScope(scope)) throw createOptionError('scopes', 'scope names of RFC 6749, section 3.3', scope);
  }
  const invalidScheme = redirectSchemes.find(
    scheme => typeof scheme !== 'string' || !isRedirectUri(`${scheme}:/callback`, 'native', [scheme]),
  );
  if (invalidScheme !== undefined)
    throw createOptionError('redirectSchemes', 'schemes of apps, such as vscode', String(invalidScheme));
  if (new Set(clients.map(({ id }) => id)).size < clients.length)
    throw createOptionError('clients', 'a different `id` for each client', 'the same one twice');
  const values = toRecordValues(stores.values);
  const guard = createUrlGuard(url);
  const limits = resolveLimits(options.limits);
  const isAllowed = createRedirectCheck(options.redirectRules, redirectSchemes);
  let keys: Promise<SigningKeys> | undefined;
  return {
    issuer: options.url,
    path: url.pathname.replace(/\/$/, ''),
    origin: url.origin,
    secure: url.protocol === 'https:',
    scopes,
    values,
    limits,
    registrations: createRegistrationStore(values, {
      maxUnused: limits.maxUnusedRegistrations,
      unusedTtl: limits.unusedRegistrationTtl,
    }),
    allowRequest: options.allowRequest ?? (() => true),
    clients,
    registration: options.registration ?? true,
    redirectSchemes,
    isAllowedRedirect: (uri, client) => clients.some(({ id }) => id === client) || isAllowed(uri, client),
    accessTokenTtl: resolveTtl('accessTokenTtl', options.accessTokenTtl, 10 * MINUTE),
    refreshTokenTtl: resolveTtl('refreshTokenTtl', options.refreshTokenTtl, 14 * DAY),
    clock: clock ?? systemClock,
    guard,
    // Redirects are off, because the final URL would differ from the client ID.
    fetch: createGuardedFetch({ guard, fetch, clock, maxRedirects: 0 }),
    createFetch: (providerGuard: UrlGuard) => createGuardedFetch({ guard: providerGuard, fetch, clock }),
    report: createErrorReporter(onError ?? logError),
    getKeys: () => (keys ??= createSigningKeys(options.keys)),
    isAllowedResource: resource =>
      isResourceUrl(resource) && (resources?.includes(resource) ?? isLoopbackResource(resource)),
    supportsDocuments: clientMetadataDocuments !== false,
    isAllowedDocument: documentUrl =>
      typeof clientMetadataDocuments === 'function'
        ? clientMetadataDocuments(documentUrl) === true
        : clientMetadataDocuments,
  };
}

/** Kinds of the options, by name. `any`: checked where it is used. */
const KINDS: Readonly<
  Record<keyof IssuerBaseOptions, 'any' | 'string' | 'list' | 'object' | 'function' | 'boolean' | 'number'>
> = {
  url: 'string',
  resources: 'list',
  scopes: 'object',
  stores: 'object',
  keys: 'list',
  clients: 'list',
  registration: 'boolean',
  clientMetadataDocuments: 'any',
  limits: 'object',
  allowRequest: 'function',
  redirectSchemes: 'list',
  redirectRules: 'list',
  accessTokenTtl: 'number',
  refreshTokenTtl: 'number',
  clock: 'object',
  fetch: 'function',
  onError: 'function',
};

/** Checks the kinds of the options, which programs in JavaScript pass without types. */
function checkKinds(options: IssuerBaseOptions): void {
  if (options.url === undefined) throw createOptionError('url', 'an absolute URL', 'undefined');
  const values = new Map<string, unknown>(Object.entries(options));
  for (const [name, kind] of Object.entries(KINDS)) {
    const value = values.get(name);
    const found = Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value;
    if (value !== undefined && kind !== 'any' && found !== kind)
      throw createOptionError(name, `${kind === 'object' ? 'an' : 'a'} ${kind}`, found);
  }
  const { stores, clientMetadataDocuments, clients = [], clock, keys } = options;
  requireArgument('`stores`', stores, checkOptional(checkStores), OPTIONS_CODE);
  requireArgument('`clients`', clients, checkArray(checkObject()), OPTIONS_CODE);
  requireArgument('`clock`', clock, checkOptional(checkClock), OPTIONS_CODE);
  requireArgument('`keys`', keys, checkOptional(checkArray(checkObject())), OPTIONS_CODE);
  // Without a key, tokens would be signed by a random one, as without the option.
  if (keys?.length === 0) throw createOptionError('keys', 'one or more private keys', 'an empty list');
  // A text such as `no` would allow every document.
  const checkDocuments = checkOptional(checkEither(checkFunction, checkBoolean));
  requireArgument('`clientMetadataDocuments`', clientMetadataDocuments, checkDocuments, OPTIONS_CODE);
}

function parseIssuerUrl(given: string): URL {
  const url = parseUrl(given);
  if (!url) throw createOptionError('url', 'an absolute URL', given);
  if (!isEncryptedOrLocal(url)) throw createOptionError('url', 'an https: URL, or http: on loopback', given);
  if (/[?#@]/.test(given)) throw createOptionError('url', 'a URL without query, fragment and user', url.origin);
  return url;
}

const DEFAULT_ISSUER_LIMITS: IssuerLimits = {
  maxUnusedRegistrations: 1_000,
  unusedRegistrationTtl: 60 * MINUTE,
  maxPendingSignIns: 5_000,
};
/** Maximum of a limit, because the number of a slot has at most seven digits. */
const MAX_LIMIT = 9_999_999;

function resolveLimits(given: NonNullable<IssuerBaseOptions['limits']> = {}): IssuerLimits {
  checkMembers('limits', given, Object.keys(DEFAULT_ISSUER_LIMITS));
  const limits = {
    maxUnusedRegistrations: given.maxUnusedRegistrations ?? DEFAULT_ISSUER_LIMITS.maxUnusedRegistrations,
    unusedRegistrationTtl: given.unusedRegistrationTtl ?? DEFAULT_ISSUER_LIMITS.unusedRegistrationTtl,
    maxPendingSignIns: given.maxPendingSignIns ?? DEFAULT_ISSUER_LIMITS.maxPendingSignIns,
  };
  for (const name of ['maxUnusedRegistrations', 'maxPendingSignIns'] as const) {
    const fits = Number.isSafeInteger(limits[name]) && limits[name] >= 1 && limits[name] <= MAX_LIMIT;
    if (!fits) throw createOptionError(`limits.${name}`, `an integer from 1 to ${MAX_LIMIT}`, String(limits[name]));
  }
  resolveTtl('limits.unusedRegistrationTtl', limits.unusedRegistrationTtl, 60 * MINUTE);
  return limits;
}

function resolveTtl(name: string, given: number | undefined, fallback: number): number {
  const ttl = given ?? fallback;
  if (!(ttl >= 1_000 && Number.isFinite(ttl)))
    throw createOptionError(name, 'at least 1,000 milliseconds', String(ttl));
  return ttl;
}

function isResourceUrl(resource: string): boolean {
  return parseWebUrl(resource) !== undefined && !resource.includes('#');
}

function isLoopbackResource(resource: string): boolean {
  return classifyHost(new URL(resource).hostname) === 'loopback';
}
