import { sha256 } from '../../auth/resource/digest.js';
import { canonical } from '../../conversation/asking/canonical.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { AuditEvent } from './event.js';
import { asciiJson } from './line.js';
import { type Redact, redacted, redactedText } from './redaction.js';

/** How long a text of an event may be, and how much of its details or arguments is recorded, in characters of JSON. */
const MAX_TEXT = 1_024;
const MAX_DETAILS = 8_192;
const UNWRITABLE = 'none: it can not be written as JSON';

export interface ContentOptions {
  readonly redact?: Redact | undefined;
  /** `redacted`: the arguments are recorded as well, without what looks secret. */
  readonly arguments?: 'digest' | 'redacted' | undefined;
  /** SHA-256 of a text, in base64url, where there is a faster one. Default: by WebCrypto. */
  readonly digest?: Digest | undefined;
}

export type Digest = (text: string) => string | Promise<string>;

/** What of an event is written. */
export async function contentOf(event: AuditEvent, options: ContentOptions): Promise<JsonObject> {
  const { action, rule, ms, arguments: args, details } = event;
  const text = (name: 'principal' | 'server' | 'kind' | 'name' | 'call' | 'reason' | 'outcome') => {
    const value = event[name];
    return value === undefined ? undefined : cut(redactedText(value, options.redact));
  };
  const shown = details === undefined ? undefined : redacted(details, options.redact);
  return {
    ...{
      action: cut(action),
      principal: text('principal'),
      server: text('server'),
      kind: text('kind'),
      name: text('name'),
    },
    ...{ call: text('call'), rule, reason: text('reason'), outcome: text('outcome'), ms },
    arguments: args === undefined ? undefined : await argumentsOf(args, options),
    details: shown === undefined ? undefined : await bounded(shown, options),
  };
}

async function argumentsOf(args: JsonObject, options: ContentOptions): Promise<JsonObject> {
  const digest = await digestOf(args, options);
  if (options.arguments !== 'redacted') return { digest };
  return { digest, values: await bounded(redacted(args, options.redact), options) };
}

async function digestOf(value: unknown, { digest = sha256 }: ContentOptions): Promise<string> {
  let text: string;
  try {
    text = canonical(value);
  } catch {
    return UNWRITABLE;
  }
  return `sha256-${await digest(text)}`;
}

const cut = (text: string): string => (text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}… (${text.length})`);

async function bounded(value: unknown, options: ContentOptions): Promise<unknown> {
  let length: number;
  try {
    length = asciiJson(value).length;
  } catch {
    return { left_out: UNWRITABLE };
  }
  return length <= MAX_DETAILS ? value : { left_out: `${length} characters`, digest: await digestOf(value, options) };
}
