import { INVALID_REQUEST, isObject, type JsonObject, TenonError, toJsonObject } from '@tenon/base';
import type { ClientCapabilities } from './capabilities.js';
import type { Dialect } from './versions/dialect.js';

/**
 * Tells if a capability is declared, by its dotted path: `resources.subscribe`. A flag that is `false` is not declared.
 */
export function hasCapability(capabilities: object, path: string): boolean {
  const dot = path.indexOf('.');
  const step = dot === -1 ? path : path.slice(0, dot);
  if (!Object.hasOwn(capabilities, step)) return false;
  const declared = (capabilities as JsonObject)[step];
  if (dot !== -1) return isObject(declared) && hasCapability(declared, path.slice(dot + 1));
  return declared !== undefined && declared !== null && declared !== false;
}

/** Returns the capabilities that a client lacks for a request. */
export function findMissingForRequest(
  method: string,
  params: JsonObject,
  declared: ClientCapabilities,
): ClientCapabilities | undefined {
  switch (method) {
    case 'elicitation/create':
      return findMissingMode(params.mode === 'url' ? 'url' : 'form', declared.elicitation);
    case 'sampling/createMessage': {
      if (!declared.sampling) return params.tools ? { sampling: { tools: {} } } : { sampling: {} };
      return (params.tools || params.toolChoice) && !declared.sampling.tools ? { sampling: { tools: {} } } : undefined;
    }
    case 'roots/list':
      return declared.roots ? undefined : { roots: {} };
    default:
      return undefined;
  }
}

/** Returns the required capabilities that are not declared, if any. */
export function findMissingCapabilities(
  required: ClientCapabilities,
  declared: ClientCapabilities,
): ClientCapabilities | undefined {
  const result: ClientCapabilities = {};
  for (const [name, capability] of Object.entries(required)) {
    if (capability === undefined) continue;
    const own = declared[name];
    if (name === 'elicitation') {
      const lacking = findMissingModes(capability as Modes, declared.elicitation);
      if (lacking) result.elicitation = lacking;
    } else if (!isObject(own)) result[name] = toJsonObject(capability);
    else {
      const members = Object.entries(toJsonObject(capability));
      const lacking = members.filter(([member]) => own[member] === undefined || own[member] === false);
      if (lacking.length > 0) result[name] = Object.fromEntries(lacking);
    }
  }
  return Object.keys(result).length > 0 ? result : undefined;
}

type Modes = NonNullable<ClientCapabilities['elicitation']>;

/**
 * Returns the missing elicitation modes. An empty object means form mode, both in required and in declared
 * capabilities.
 */
function findMissingModes(required: Modes, declared: ClientCapabilities['elicitation']): Modes | undefined {
  const modes = (['form', 'url'] as const).filter(mode => required[mode] !== undefined);
  const missing = (modes.length > 0 ? modes : (['form'] as const)).filter(mode => findMissingMode(mode, declared));
  return missing.length > 0 ? Object.fromEntries(missing.map(mode => [mode, {}])) : undefined;
}

/** The model of any client may see it. */
const CAPABILITY_ADVICE = 'use a client that declares it';

/** Creates the error with the capabilities that the client must declare. */
export function createMissingCapabilityError(
  { errors }: Dialect,
  requiredCapabilities: ClientCapabilities,
): TenonError {
  const names = Object.keys(requiredCapabilities).join(', ');
  return new TenonError('rpc/error', `Missing required client capability: ${names}`, {
    rpcCode: errors.missingCapability ?? INVALID_REQUEST,
    hint: CAPABILITY_ADVICE,
    data: { requiredCapabilities },
  });
}

/**
 * Creates the error of a handler that requests input which the client does not support. Uses the error code of the
 * protocol version, if it has one.
 */
export function createUnsupportedError(dialect: Dialect, missing: ClientCapabilities): TenonError {
  if (dialect.errors.missingCapability !== undefined) return createMissingCapabilityError(dialect, missing);
  const names = Object.keys(missing).join(', ');
  // The variant of a dialect for a server without sessions.
  if (dialect.sessionMethods !== undefined)
    return new TenonError('client/no-session', `${names} requires a session, and the server runs without sessions`, {
      hint: 'use a protocol version without sessions, or enable sessions in the server',
    });
  return new TenonError('client/missing-capability', `The client does not support ${names}`, {
    hint: CAPABILITY_ADVICE,
    data: missing,
  });
}

/** Returns a missing elicitation mode. An empty `elicitation` means form mode. */
function findMissingMode(
  mode: 'form' | 'url',
  capability: ClientCapabilities['elicitation'],
): ClientCapabilities | undefined {
  const declared = capability && (capability[mode] !== undefined || (mode === 'form' && capability.url === undefined));
  if (declared) return undefined;
  return { elicitation: mode === 'url' ? { url: {} } : {} };
}
