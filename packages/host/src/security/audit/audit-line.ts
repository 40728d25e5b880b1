import {
  type Check,
  createSigner,
  describeMismatch,
  escapeJsonCharacter,
  hashSha256,
  isObject,
  type JsonObject,
  parseJsonText,
  requireArgument,
  type Signer,
  TenonError,
  toCanonicalJson,
} from '@tenon/base';

/** Maximum length of a line, in bytes. Written lines are always shorter. */
export const MAX_LINE = 128 * 1024;
/** Hash that precedes the first line. */
export const NO_PREVIOUS = '-';
const MIN_KEY = 16;
const LINE_FORMAT = /^(\{.*),"hash":"([\w-]{43})"\}$/;
const SIGNED_LINE_FORMAT = /^(\{.*),"mac":"([\w-]{43})"\}$/;

const checkKey: Check = value =>
  typeof value === 'string' || value instanceof Uint8Array ? undefined : describeMismatch('a string or bytes', value);

/** Parsed line whose hash is correct. */
export interface AuditLine {
  readonly seq: number;
  readonly prev: string;
  readonly hash: string;
  readonly content: JsonObject;
  /** HMAC, and the text that it signs. */
  readonly mac?: { readonly of: string; readonly value: string };
}

/**
 * Creates a line of an audit log: JSON in ASCII. Its last members are `mac` (HMAC-SHA-256 of the text before it, if
 * there is a key) and `hash` (SHA-256 of the text before it). `prev` contains the hash of the previous line.
 */
export async function createAuditLine(content: JsonObject, signer?: Signer): Promise<{ line: string; hash: string }> {
  const plain = toAsciiJson(content);
  const body = signer === undefined ? plain : appendMember(plain, 'mac', await signer.sign(plain));
  const hash = hashSha256(body);
  return { line: appendMember(body, 'hash', hash), hash };
}

const appendMember = (body: string, name: string, value: string): string =>
  `${body.slice(0, -1)},"${name}":"${value}"}`;

/** Parses a line. Returns a description of the error for an invalid line. */
export function parseAuditLine(line: string): AuditLine | string {
  if (line.length > MAX_LINE) return `it is longer than ${MAX_LINE} bytes`;
  const [, open, hash] = LINE_FORMAT.exec(line) ?? [];
  if (open === undefined || hash === undefined) return 'it is not a line of an audit record';
  const body = `${open}}`;
  if (hashSha256(body) !== hash) return 'it was changed: its hash does not match its content';
  const [, before, value] = SIGNED_LINE_FORMAT.exec(body) ?? [];
  const content = parseObject(body);
  if (content === undefined) return 'it is not a line of an audit record';
  const plain = { seq: content.seq as number, prev: content.prev as string, hash, content };
  return value === undefined ? plain : { ...plain, mac: { of: `${before}}`, value } };
}

function parseObject(body: string): JsonObject | undefined {
  try {
    const value: unknown = parseJsonText(body);
    if (isObject(value) && Number.isSafeInteger(value.seq) && typeof value.prev === 'string') return value;
  } catch {
    // The text is not a line of an audit log.
  }
  return undefined;
}

/**
 * Converts a value to canonical JSON in printable ASCII. Every changed byte is visible, and the text cannot control a
 * terminal.
 */
export function toAsciiJson(value: unknown): string {
  return toCanonicalJson(value).replace(/[^ -~]/g, escapeJsonCharacter);
}

/**
 * Creates the signer for a key.
 *
 * @throws TenonError `audit/weak-key`
 */
export function createAuditSigner(key: string | Uint8Array): Signer {
  requireArgument('the audit key', key, checkKey);
  const bytes = typeof key === 'string' ? new TextEncoder().encode(key) : key;
  if (bytes.length < MIN_KEY) {
    throw new TenonError('audit/weak-key', 'the audit key is too short', {
      expected: `at least ${MIN_KEY} random bytes`,
      received: `${bytes.length} bytes`,
    });
  }
  return createSigner(bytes);
}
