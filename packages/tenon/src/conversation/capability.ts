import type { Dialect } from '../dialects/dialect.js';
import { INVALID_REQUEST } from '../jsonrpc/codes.js';
import { rpcError, TenonError } from '../jsonrpc/error.js';
import { isObject, type JsonObject } from '../jsonrpc/message.js';
import type { ClientCapabilities } from '../model/capabilities.js';

/** Whether a dotted path of capabilities is declared: `resources.subscribe`. A flag that is `false` is not. */
export function declares(capabilities: object, path: string): boolean {
  const dot = path.indexOf('.');
  const step = dot === -1 ? path : path.slice(0, dot);
  if (!Object.hasOwn(capabilities, step)) return false;
  const declared = (capabilities as JsonObject)[step];
  if (dot !== -1) return isObject(declared) && declares(declared, path.slice(dot + 1));
  return declared !== undefined && declared !== null && declared !== false;
}

/** What a client would have to declare, and does not, before it may be asked this. */
export function lacking(method: string, params: JsonObject, has: ClientCapabilities): ClientCapabilities | undefined {
  switch (method) {
    case 'elicitation/create':
      return lackingElicitation(params.mode === 'url' ? 'url' : 'form', has.elicitation);
    case 'sampling/createMessage': {
      if (!has.sampling) return params.tools ? { sampling: { tools: {} } } : { sampling: {} };
      return (params.tools || params.toolChoice) && !has.sampling.tools ? { sampling: { tools: {} } } : undefined;
    }
    case 'roots/list':
      return has.roots ? undefined : { roots: {} };
    default:
      return undefined;
  }
}

/** What of the capabilities that are needed is not declared, if anything. */
export function missing(needs: ClientCapabilities, has: ClientCapabilities): ClientCapabilities | undefined {
  const lacks: ClientCapabilities = {};
  for (const [name, need] of Object.entries(needs)) {
    if (need === undefined) continue;
    const what = name === 'elicitation' ? missingElicitation(need as Modes, has.elicitation) : within(need, has[name]);
    if (what) lacks[name] = what;
  }
  return Object.keys(lacks).length > 0 ? lacks : undefined;
}

type Modes = NonNullable<ClientCapabilities['elicitation']>;

/** An empty object is the form mode, on either side. */
function missingElicitation(need: Modes, has: ClientCapabilities['elicitation']): Modes | undefined {
  const modes = (['form', 'url'] as const).filter(mode => need[mode] !== undefined);
  const lacks = (modes.length > 0 ? modes : (['form'] as const)).filter(mode => lackingElicitation(mode, has));
  return lacks.length > 0 ? Object.fromEntries(lacks.map(mode => [mode, {}])) : undefined;
}

function within(need: unknown, has: unknown): JsonObject | undefined {
  const members = isObject(need) ? Object.keys(need) : [];
  if (!isObject(has)) return isObject(need) ? need : {};
  const lacks = members.filter(member => has[member] === undefined || has[member] === false);
  return lacks.length > 0 ? Object.fromEntries(lacks.map(member => [member, (need as JsonObject)[member]])) : undefined;
}

/** The error that names what a client would have to declare. */
export function missingCapability({ errors }: Dialect, requiredCapabilities: ClientCapabilities): TenonError {
  const missing = Object.keys(requiredCapabilities).join(', ');
  return rpcError(errors.missingCapability ?? INVALID_REQUEST, `Missing required client capability: ${missing}`, {
    requiredCapabilities,
  });
}

/** What a handler meets that asks what the client can not answer: the error of the revision, where it has one. */
export function unable(dialect: Dialect, lacks: ClientCapabilities): TenonError {
  if (dialect.errors.missingCapability !== undefined) return missingCapability(dialect, lacks);
  if (dialect.needsSession !== undefined) return noSession(Object.keys(lacks).join(', '));
  return new TenonError('client/lacks', `The client does not support ${Object.keys(lacks).join(', ')}`, {
    data: lacks,
  });
}

/** The error for a server that keeps no sessions, on a version that needs one for this. */
function noSession(subject: string): TenonError {
  return new TenonError('client/no-session', `${subject} needs a session, and this server keeps none`, {
    next: 'call on a protocol version in which each request stands alone',
  });
}

/** An empty `elicitation` is the form mode. */
function lackingElicitation(
  mode: 'form' | 'url',
  has: ClientCapabilities['elicitation'],
): ClientCapabilities | undefined {
  const declared = has && (has[mode] !== undefined || (mode === 'form' && has.url === undefined));
  if (declared) return undefined;
  return { elicitation: mode === 'url' ? { url: {} } : {} };
}
