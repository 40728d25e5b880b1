import { isObject, type JsonObject, type Signer, toCanonicalJson, type Values } from '@tenon/base';
import { findDangers } from './dangerous-commands.js';
import { type EntryPart, listEntryParts } from './entry-parts.js';
import type { ConfiguredEntry } from './server-entry.js';

const PREFIX = 'config/trust/';

/** Difference between an entry and the approved one. Secrets are masked. */
export interface ConfigChange {
  /** Path of the part: `command`, `args[0]`, `env.TOKEN`, `url`, … */
  readonly key: string;
  /** Approved value. Absent if the part is new. */
  readonly before?: string;
  /** Current value. Absent if the part was removed. */
  readonly after?: string;
}

/** Information for the approval of an entry. */
export interface TrustQuestion {
  /** True if the server was never approved. */
  readonly first: boolean;
  /** All parts for the first approval, else the changed parts. */
  readonly changes: readonly ConfigChange[];
  /**
   * Parts that the user should review: a shell script, a variable that loads code. An empty list does not mean that the
   * entry is harmless.
   */
  readonly dangers: readonly string[];
}

interface StoredPart {
  readonly mark: string;
  readonly shown: string;
}

/** Result of comparing an entry with the approved one. */
export interface TrustExamination {
  /** Storage key of the approval. */
  readonly key: string;
  /** Record to store after approval. */
  readonly record: { readonly mark: string; readonly parts: Readonly<Record<string, StoredPart>> };
  /** Information for the approval. `undefined` when the entry equals the approved one. */
  readonly question: TrustQuestion | undefined;
}

/** Returns the storage key of a server's approval. */
export const getTrustKey = async (signer: Signer, file: string, name: string): Promise<string> =>
  PREFIX + (await signer.sign(toCanonicalJson(['place', file, name])));

/** Compares an entry with the approved one. */
export async function examineEntry(entry: ConfiguredEntry, signer: Signer, values: Values): Promise<TrustExamination> {
  const file = entry.origin?.file ?? '';
  const key = await getTrustKey(signer, file, entry.name);
  const parts = listEntryParts(entry);
  const storedParts: Record<string, StoredPart> = {};
  for (const { key, shown, identity } of parts)
    storedParts[key] = { mark: await signer.sign(toCanonicalJson(['part', file, entry.name, key, identity])), shown };
  const marks = Object.entries(storedParts).map(([key, { mark }]) => [key, mark]);
  const mark = await signer.sign(toCanonicalJson(['whole', marks.sort()]));
  const before = (await values.get(key))?.value;
  if (before?.mark === mark) return { key, record: { mark, parts: storedParts }, question: undefined };
  const changes = listChanges(isObject(before?.parts) ? before.parts : {}, storedParts, parts);
  const question = { first: before === undefined, changes, dangers: findDangers(entry) };
  return { key, record: { mark, parts: storedParts }, question };
}

function listChanges(
  before: JsonObject,
  storedParts: Readonly<Record<string, StoredPart>>,
  parts: readonly EntryPart[],
): ConfigChange[] {
  const there = parts.flatMap(({ key, shown, resolved }): ConfigChange[] => {
    const was = Object.hasOwn(before, key) ? before[key] : undefined;
    const after = resolved === undefined ? shown : `${shown} (now ${resolved})`;
    if (!isObject(was)) return [{ key, after }];
    if (was.mark === storedParts[key]?.mark) return [];
    const same = was.shown === after;
    return [{ key, before: String(was.shown), after: same ? `${after} (another value)` : after }];
  });
  const removed = Object.entries(before).flatMap(([key, was]) =>
    Object.hasOwn(storedParts, key) || !isObject(was) ? [] : [{ key, before: String(was.shown) }],
  );
  return [...there, ...removed];
}
