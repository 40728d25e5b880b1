import type { Dialect } from '../dialects/dialect.js';
import { INVALID_REQUEST } from '../jsonrpc/codes.js';
import { rpcError, type TenonError } from '../jsonrpc/error.js';
import { isObject, type JsonObject } from '../jsonrpc/message.js';
import type { ClientCapabilities } from '../model/capabilities.js';

/** Whether a dotted path of capabilities is declared: `resources.subscribe`. A flag that is `false` is not. */
export function declares(capabilities: object, path: string): boolean {
  let at: unknown = capabilities;
  for (const step of path.split('.')) {
    if (!isObject(at) || !Object.hasOwn(at, step)) return false;
    at = at[step];
  }
  return at !== undefined && at !== null && at !== false;
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

/** The error that names what a client would have to declare. */
export function missingCapability({ errors }: Dialect, requiredCapabilities: ClientCapabilities): TenonError {
  const missing = Object.keys(requiredCapabilities).join(', ');
  return rpcError(errors.missingCapability ?? INVALID_REQUEST, `Missing required client capability: ${missing}`, {
    requiredCapabilities,
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
