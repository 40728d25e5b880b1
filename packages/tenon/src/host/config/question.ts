import type { Signer } from '../../auth/resource/digest.js';
import { canonical } from '../../conversation/asking/canonical.js';
import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import type { Values } from '../../stores/stores.js';
import { dangersOf } from './dangers.js';
import { type Part, partsOf } from './parts.js';
import type { ConfiguredEntry } from './server-entry.js';

const PREFIX = 'config/trust/';

/** One thing that is other than it was approved. Secrets are masked. */
export interface ConfigChange {
  /** `command`, `args[0]`, `env.TOKEN`, `url`, … */
  readonly key: string;
  /** As it was; absent where there was none. */
  readonly before?: string;
  /** As it is; absent where there is none any more. */
  readonly after?: string;
}

/** What the user is asked to approve, beside the entry itself. */
export interface TrustQuestion {
  /** Nothing of this server was approved before. */
  readonly first: boolean;
  /** All of it at first, later what is different. */
  readonly changes: readonly ConfigChange[];
  /** What to look at twice: a shell script, a variable that loads code. Best effort: empty does not mean harmless. */
  readonly dangers: readonly string[];
}

interface KeptPart {
  readonly mark: string;
  readonly shown: string;
}

/** An entry beside what was approved of it. */
export interface Examined {
  /** The key of its approval in the store. */
  readonly place: string;
  /** What is kept when it is approved. */
  readonly record: { readonly mark: string; readonly parts: Readonly<Record<string, KeptPart>> };
  /** Undefined when it is as it was approved. */
  readonly question: TrustQuestion | undefined;
}

/** Where the approval of a server is kept. */
export const placeOf = async (signer: Signer, file: string, name: string): Promise<string> =>
  PREFIX + (await signer.sign(canonical(['place', file, name])));

/** Looks what of an entry is different from what was approved. */
export async function examined(entry: ConfiguredEntry, signer: Signer, values: Values): Promise<Examined> {
  const file = entry.origin?.file ?? '';
  const place = await placeOf(signer, file, entry.name);
  const parts = partsOf(entry);
  const kept: Record<string, KeptPart> = {};
  for (const { key, shown, identity } of parts)
    kept[key] = { mark: await signer.sign(canonical(['part', file, entry.name, key, identity])), shown };
  const marks = Object.entries(kept).map(([key, { mark }]) => [key, mark]);
  const mark = await signer.sign(canonical(['whole', marks.sort()]));
  const before = (await values.get(place))?.value;
  if (before?.mark === mark) return { place, record: { mark, parts: kept }, question: undefined };
  const changes = changesOf(isObject(before?.parts) ? before.parts : {}, kept, parts);
  const question = { first: before === undefined, changes, dangers: dangersOf(entry) };
  return { place, record: { mark, parts: kept }, question };
}

function changesOf(
  before: JsonObject,
  kept: Readonly<Record<string, KeptPart>>,
  parts: readonly Part[],
): ConfigChange[] {
  const there = parts.flatMap(({ key, shown, filled }): ConfigChange[] => {
    const was = Object.hasOwn(before, key) ? before[key] : undefined;
    const after = filled === undefined ? shown : `${shown} (now ${filled})`;
    if (!isObject(was)) return [{ key, after }];
    if (was.mark === kept[key]?.mark) return [];
    const same = was.shown === after;
    return [{ key, before: String(was.shown), after: same ? `${after} (another value)` : after }];
  });
  const gone = Object.entries(before).flatMap(([key, was]) =>
    Object.hasOwn(kept, key) || !isObject(was) ? [] : [{ key, before: String(was.shown) }],
  );
  return [...there, ...gone];
}
