import { digestShort } from './short-digest.js';

/** Maximum length of a public name, in characters. All common model providers accept this length. */
export const MAX_NAME = 64;
/** Separator between the label of a server and a name. No label contains it, and no label begins or ends with `_`. */
export const SEPARATOR = '__';
/** Maximum length of a server label, in characters. It leaves about half of a public name for the original name. */
const MAX_LABEL = 30;
const DIGEST_LENGTH = 10;
const DIGEST_MARK = '_h';

/**
 * Suffix of names with a digest. Such names are looked up and never parsed. A plain name with this suffix also gets a
 * digest.
 */
const DIGEST_PATTERN = new RegExp(`${DIGEST_MARK}[a-z2-7]{${DIGEST_LENGTH}}$`);
const PLAIN_NAME = /^[A-Za-z0-9_-]+$/;
const PLAIN_LABEL = /^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/;

/** Tells if a name of at most `space` characters can be used unchanged and parsed again. */
export function isPlain(name: string, space = MAX_NAME): boolean {
  return name.length <= space && PLAIN_NAME.test(name) && !DIGEST_PATTERN.test(name);
}

/**
 * Creates a name of at most `space` characters for a name that cannot be used unchanged. It consists of the readable
 * part and a digest of `identity`.
 *
 * @param attempt Incremented after a collision of digests.
 */
export function createDigestName(name: string, identity: readonly string[], space = MAX_NAME, attempt = 0): string {
  const digest = digestShort(JSON.stringify(attempt === 0 ? identity : [...identity, attempt]), DIGEST_LENGTH);
  const readable = name.replace(/[^A-Za-z0-9-]+/g, '_').slice(0, space - DIGEST_MARK.length - DIGEST_LENGTH);
  return readable.replace(/^_+|_+$/g, '') + DIGEST_MARK + digest;
}

/**
 * Creates the label of a server for public names. A name of at most 30 characters of `[A-Za-z0-9_-]` is used unchanged,
 * unless `_` occurs at an end or twice in a row. Other names become a readable part and a digest.
 *
 * Other servers never change the label.
 */
function createLabel(server: string): string {
  if (server.length <= MAX_LABEL && PLAIN_LABEL.test(server) && !DIGEST_PATTERN.test(server)) return server;
  const label = createDigestName(server.slice(0, MAX_LABEL * 4), [server], MAX_LABEL);
  return label.startsWith('_') ? `server${label}` : label;
}

/** Maps labels to servers. A collision of digests is resolved with a counter. */
export function createLabels(servers: readonly string[]): ReadonlyMap<string, string> {
  const byLabel = new Map<string, string>();
  for (const server of [...new Set(servers)].sort()) {
    let label = createLabel(server);
    for (let attempt = 1; byLabel.has(label); attempt++) label = createDigestName(server, [server], MAX_LABEL, attempt);
    byLabel.set(label, server);
  }
  return byLabel;
}
