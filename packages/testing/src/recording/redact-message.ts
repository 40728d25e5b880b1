import {
  checkObject,
  isObject,
  isSecretName,
  keepTextsIn,
  REDACTED,
  redactNamedSecrets,
  redactSecrets,
  redactTokens,
  requireArgument,
} from '@tenon/base';
import type { JsonObject, JsonRpcMessage } from 'tenon';
import { isMessage } from 'tenon/testing-internals';
import type { MessageFault } from '../faults.js';

type RedactText = (text: string) => string;

/**
 * Members of params and results that describe tools, prompts and resources. They contain names of secrets, such as the
 * property `password`, but no values of them.
 */
const DEFINITIONS = new Set([
  'tools',
  'prompts',
  'resources',
  'resourceTemplates',
  'capabilities',
  'serverInfo',
  'clientInfo',
]);
/** Member that describes a form, at any depth. */
const FORM = 'requestedSchema';
/** Members that identify something. Random characters belong to them. */
const IDENTIFIERS = new Set(['uri', 'uriTemplate', 'cursor', 'nextCursor', 'taskId', 'requestState', 'elicitationId']);
/** Maximum depth of a value. Deeper values are removed, because they cannot be searched for secrets. */
const MAX_DEPTH = 100;

/**
 * Removes the secrets of a message: members with secret names, tokens in known formats, and long random words. Images,
 * audio and other binary content stay as they are.
 */
export function redactMessage<M extends JsonRpcMessage>(message: M): M {
  requireArgument('`message` of redactMessage', message, checkObject());
  const { params, result, error }: { params?: unknown; result?: unknown; error?: unknown } = message;
  return {
    ...message,
    ...(params === undefined ? {} : { params: redactJson(params) }),
    ...(result === undefined ? {} : { result: redactJson(result) }),
    ...(error === undefined ? {} : { error: redactJson(error) }),
  };
}

/** Removes the secrets of the message with which a fault replaces another one. Other faults have none. */
export function redactFault(fault: MessageFault): MessageFault {
  requireArgument('`fault` of redactFault', fault, checkObject());
  return fault.kind === 'replace' && isMessage(fault.value) ? { ...fault, value: redactMessage(fault.value) } : fault;
}

/** Removes the secrets of a JSON value. A second call changes nothing. */
export function redactJson(value: unknown): unknown {
  return redactValue(value, redactSecrets, 0);
}

function redactValue(value: unknown, redact: RedactText, depth: number): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return REDACTED;
  if (Array.isArray(value)) {
    const entries = value.map(each => redactValue(each, redact, depth + 1));
    return entries.every((entry, index) => Object.is(entry, value[index])) ? value : keepTextsIn(entries, value);
  }
  if (!isObject(value)) return REDACTED;
  return redactMembers(value, redact, depth);
}

/** Redacts the members of an object. Without a secret it returns the object: a copy of a million members takes seconds. */
function redactMembers(value: JsonObject, redact: RedactText, depth: number): JsonObject {
  const isBinary = typeof value.mimeType === 'string';
  const names = Object.keys(value);
  let copy: [string, unknown][] | undefined;
  for (const [index, name] of names.entries()) {
    const member = value[name];
    const shownName = redact(name);
    const shown = redactMember(name, member, redact, depth + 1, isBinary);
    if (shownName !== name || !Object.is(shown, member))
      copy ??= names.slice(0, index).map(each => [each, value[each]]);
    copy?.push([shownName, shown]);
  }
  return copy ? keepTextsIn(Object.fromEntries(copy), value) : value;
}

function redactMember(name: string, value: unknown, redact: RedactText, depth: number, isBinary: boolean): unknown {
  if (isBinary && (name === 'data' || name === 'blob') && typeof value === 'string') return value;
  const isDefinition = (depth === 1 && DEFINITIONS.has(name)) || name === FORM;
  if (redact === redactTokens || isDefinition) return redactValue(value, redactTokens, depth);
  if (IDENTIFIERS.has(name) && typeof value === 'string') return redactNamedSecrets(value);
  if (isSecretName(name)) return hideValue(value, depth);
  return redactValue(value, redact, depth);
}

/** Hides the values of a member with a secret name. The names of the members below it stay. */
function hideValue(value: unknown, depth: number): unknown {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value !== 'object' || depth >= MAX_DEPTH) return REDACTED;
  if (Array.isArray(value)) return value.map(each => hideValue(each, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [redactSecrets(name), hideValue(member, depth + 1)]),
  );
}
