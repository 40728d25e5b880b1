import { digestShort } from './short-digest.js';

/** The longest name that is given, in characters: the least that the providers of models have in common. */
export const MAX_NAME = 64;
/** Stands between the label of a server and a name. No label has it inside or touches it with `_`. */
export const SEPARATOR = '__';
/** The longest label of a server: half of a name is left for what the server calls the thing. */
const MAX_LABEL = 30;
const DIGEST_LENGTH = 10;
const DIGEST_MARK = '_h';

/**
 * Ending of names with a digest, which are looked up and never parsed; a plain name with such an ending is written with
 * a digest.
 */
const DIGEST_PATTERN = new RegExp(`${DIGEST_MARK}[a-z2-7]{${DIGEST_LENGTH}}$`);
const PLAIN_NAME = /^[A-Za-z0-9_-]+$/;
const PLAIN_LABEL = /^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/;

/** True if a name of at most `space` characters can be used unchanged, and parsed again. */
export function isPlain(name: string, space = MAX_NAME): boolean {
  return name.length <= space && PLAIN_NAME.test(name) && !DIGEST_PATTERN.test(name);
}

/**
 * A name within `space` characters for what cannot stand as it is: readable as far as it can be, then a digest of
 * `what`. `attempt` is counted up when the digests of two things are the same.
 */
export function createDigestName(name: string, identity: readonly string[], space = MAX_NAME, attempt = 0): string {
  const digest = digestShort(JSON.stringify(attempt === 0 ? identity : [...identity, attempt]), DIGEST_LENGTH);
  const readable = name.replace(/[^A-Za-z0-9-]+/g, '_').slice(0, space - DIGEST_MARK.length - DIGEST_LENGTH);
  return readable.replace(/^_+|_+$/g, '') + DIGEST_MARK + digest;
}

/**
 * Creates the label of a server for public names: its own name if that is at most 30 of `[A-Za-z0-9_-]`, with no `_` at
 * either end and no two together; else its readable part, and a digest. It depends on nothing else, so another server
 * never changes it.
 */
function createLabel(server: string): string {
  if (server.length <= MAX_LABEL && PLAIN_LABEL.test(server) && !DIGEST_PATTERN.test(server)) return server;
  const label = createDigestName(server.slice(0, MAX_LABEL * 4), [server], MAX_LABEL);
  return label.startsWith('_') ? `server${label}` : label;
}

/** The servers by their labels. Two of the same label, which is a collision of digests, are counted apart. */
export function createLabels(servers: readonly string[]): ReadonlyMap<string, string> {
  const byLabel = new Map<string, string>();
  for (const server of [...new Set(servers)].sort()) {
    let label = createLabel(server);
    for (let attempt = 1; byLabel.has(label); attempt++) label = createDigestName(server, [server], MAX_LABEL, attempt);
    byLabel.set(label, server);
  }
  return byLabel;
}
