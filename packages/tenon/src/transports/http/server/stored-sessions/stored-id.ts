import { hashSha256 } from '@tenon/base';

declare const crypto: { getRandomValues(bytes: Uint8Array): Uint8Array };

const LENGTH = 12;
const RADIX = 32;

/** Creates a random ID of 12 letters and digits (60 bits), for keys and event IDs. */
export function createStoredId(): string {
  return [...crypto.getRandomValues(new Uint8Array(LENGTH))].map(byte => (byte % RADIX).toString(RADIX)).join('');
}

const TAG_LENGTH = 5;

/** Creates a random tag of an entry, which tells it from another entry with the same number. */
export const createEntryTag = (): string => createStoredId().slice(0, TAG_LENGTH);

const KEY_LENGTH = 22;

/**
 * Returns the part of a key that stands for a session. It is a hash of 132 bits, because a reader of the store must not
 * learn the IDs of sessions. In braces, it is a hash tag: a Redis cluster has all keys of a session on one node.
 */
export function toSessionTag(session: string): string {
  return `{${hashSha256(session).slice(0, KEY_LENGTH)}}`;
}
