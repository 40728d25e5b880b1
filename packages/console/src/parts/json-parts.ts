import { useState } from 'preact/hooks';
import type { JsonCut, JsonPart } from '../api.js';
import { callApi } from '../request.js';

/** Number of members that are shown at once. */
const MAX_MEMBERS = 100;
/** Number of members that each further step shows. */
const MORE_MEMBERS = 500;

/** A value that the page has got cut, with the way to read the rest. */
export interface PartSource {
  /** Cuts by the positions that lead to the value. */
  readonly cuts: ReadonlyMap<string, JsonCut>;
  /** Address of the parts in the API. `null`: the rest is in the message only. */
  readonly address: string | null;
}

/** Creates the source of a value with its cuts. */
export const createPartSource = (cuts: readonly JsonCut[], address: string | null): PartSource => ({
  cuts: new Map(cuts.map(cut => [cut.path.join(), cut])),
  address,
});

/** Reads a part of a cut value. */
const readPart = (address: string, path: readonly number[], from: number, size: number): Promise<JsonPart> =>
  callApi('GET', `${address}?path=${path.join()}&from=${from}&size=${size}`);

interface Loaded {
  readonly members: readonly unknown[];
  readonly names: readonly string[];
  readonly cuts: readonly JsonCut[];
}

const NOTHING: Loaded = { members: [], names: [], cuts: [] };

/** The members of an object or a list that are shown, and the way to show more of them. */
export interface ShownMembers {
  readonly members: readonly (readonly [name: string, value: unknown])[];
  /** Source with the cuts of the members. */
  readonly source: PartSource | undefined;
  /** Number of members that are not shown. */
  readonly left: number;
  /** Shows more members. Absent if the page cannot read them. */
  readonly showMore: (() => void) | undefined;
}

/** Shows the first members of an object or a list. The command is asked for those that the page has not got. */
export function useMembers(value: object, at: readonly number[], source: PartSource | undefined): ShownMembers {
  const [limit, setLimit] = useState(MAX_MEMBERS);
  const [loaded, setLoaded] = useState(NOTHING);
  const own = Object.entries(value);
  const more = loaded.members.map((member, index) => [loaded.names[index] ?? '', member] as const);
  const known = [...own, ...more];
  const cut = loaded.cuts.findLast(({ path }) => path.length === at.length) ?? source?.cuts.get(at.join());
  const isComplete = loaded.members.length > 0 && !loaded.cuts.some(({ path }) => path.length === at.length);
  const total = cut === undefined || isComplete ? known.length : cut.total;
  const address = source?.address ?? null;
  const members = known.slice(0, limit);
  const read = async (from: string) => {
    const { value: part, cuts } = await readPart(from, at, known.length, MORE_MEMBERS);
    const found = typeof part === 'object' && part !== null ? Object.entries(part) : [];
    setLoaded({
      members: [...loaded.members, ...found.map(([, member]) => member)],
      names: [...loaded.names, ...found.map(([name]) => name)],
      cuts: [...loaded.cuts.filter(({ path }) => path.length > at.length), ...cuts],
    });
    setLimit(limit + MORE_MEMBERS);
  };
  const showMore = () => {
    if (known.length > limit || address === null) setLimit(limit + MORE_MEMBERS);
    else void read(address).catch(() => {});
  };
  return {
    members,
    source:
      source === undefined || loaded.cuts.length === 0
        ? source
        : { ...source, cuts: new Map([...source.cuts, ...createPartSource(loaded.cuts, null).cuts]) },
    left: total - members.length,
    showMore: known.length > limit || address !== null ? showMore : undefined,
  };
}

/** A text of which a part is shown, and the way to show more of it. */
export interface ShownText {
  readonly text: string;
  /** Number of characters that are not shown. */
  readonly left: number;
  readonly showMore: (() => void) | undefined;
}

/** Shows the beginning of a text, and more of it in steps. */
export function useText(
  value: string,
  at: readonly number[],
  source: PartSource | undefined,
  { first, step }: { readonly first: number; readonly step: number },
): ShownText {
  const [limit, setLimit] = useState(first);
  const [rest, setRest] = useState('');
  const known = value + rest;
  const total = source?.cuts.get(at.join())?.total ?? value.length;
  const address = source?.address ?? null;
  const text = known.slice(0, limit);
  const isKnown = known.length > limit;
  const read = async (from: string) => {
    const { value: part } = await readPart(from, at, known.length, step);
    setRest(rest + String(part));
    setLimit(limit + step);
  };
  const showMore = () => {
    if (isKnown || address === null) setLimit(limit + step);
    else void read(address).catch(() => {});
  };
  return { text, left: total - text.length, showMore: isKnown || address !== null ? showMore : undefined };
}

/** Reads a whole text in pieces, so that no piece keeps the page from its work. */
export async function readWholeText(
  value: string,
  at: readonly number[],
  source: PartSource | undefined,
): Promise<string> {
  const total = source?.cuts.get(at.join())?.total ?? value.length;
  const pieces = [value];
  let length = value.length;
  while (length < total && source?.address) {
    const { value: part } = await readPart(source.address, at, length, 1_000_000);
    if (typeof part !== 'string' || part === '') break;
    pieces.push(part);
    length += part.length;
  }
  return pieces.join('');
}
