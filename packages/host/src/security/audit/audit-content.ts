import {
  hashSha256,
  type JsonObject,
  type Redact,
  redactText,
  redactValue,
  takeBeginning,
  toCanonicalJson,
} from '@tenon/base';
import type { AuditEvent } from './audit-event.js';
import { toAsciiJson } from './audit-line.js';

/** Maximum length of a text of an event, and of the JSON of its details or arguments, in characters. */
const MAX_TEXT = 1_024;
const MAX_DETAILS = 8_192;
const NOT_SERIALIZABLE = 'none: it cannot be written as JSON';

export interface AuditContentOptions {
  /**
   * Removes further secrets from texts and arguments.
   * @default none
   */
  readonly redact?: Redact | undefined;
  /**
   * Recording of arguments. `digest`: only their SHA-256. `redacted`: also the arguments without secrets.
   * @default `digest`
   */
  readonly arguments?: 'digest' | 'redacted' | undefined;
}

/** Creates the recorded content of an event. */
export function createAuditContent(event: AuditEvent, options: AuditContentOptions): JsonObject {
  const { action, rule, ms, arguments: args, details } = event;
  const readText = (name: 'principal' | 'server' | 'kind' | 'name' | 'call' | 'reason' | 'outcome') => {
    const value = event[name];
    return value === undefined ? undefined : truncateText(redactText(value, options.redact));
  };
  const shown = details === undefined ? undefined : redactValue(details, options.redact);
  return {
    ...{
      action: truncateText(action),
      principal: readText('principal'),
      server: readText('server'),
      kind: readText('kind'),
      name: readText('name'),
    },
    ...{ call: readText('call'), rule, reason: readText('reason'), outcome: readText('outcome'), ms },
    arguments: args === undefined ? undefined : encodeArguments(args, options),
    details: shown === undefined ? undefined : limitSize(shown),
  };
}

function encodeArguments(args: JsonObject, options: AuditContentOptions): JsonObject {
  const digest = computeDigest(args);
  if (options.arguments !== 'redacted') return { digest };
  return { digest, values: limitSize(redactValue(args, options.redact)) };
}

function computeDigest(value: unknown): string {
  let text: string;
  try {
    text = toCanonicalJson(value);
  } catch {
    return NOT_SERIALIZABLE;
  }
  return `sha256-${hashSha256(text)}`;
}

const truncateText = (text: string): string =>
  text.length <= MAX_TEXT ? text : `${takeBeginning(text, MAX_TEXT)}… (${text.length})`;

function limitSize(value: unknown): unknown {
  let length: number;
  try {
    length = toAsciiJson(value).length;
  } catch {
    return { left_out: NOT_SERIALIZABLE };
  }
  return length <= MAX_DETAILS ? value : { left_out: `${length} characters`, digest: computeDigest(value) };
}
