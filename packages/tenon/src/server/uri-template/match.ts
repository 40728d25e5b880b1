import { collect, type Found } from './collect.js';
import { MAX_URI_LENGTH } from './expand.js';
import { symbolsOf } from './percent.js';
import type { Capture, Literal, Plan, Run } from './plan.js';

/** Counts the symbols looked at. */
export interface Work {
  steps: number;
}

/** By position, 1 where the rest of the template matches the rest of the URI. */
type Table = Uint8Array;

interface Stretch {
  readonly capture: Capture;
  readonly start: number;
  readonly end: number;
}

/**
 * Matches a URI. Two passes, each linear in its length whatever it holds: from the end, which atom can begin where; then
 * from the start, each run as long as what follows it allows. Nothing is tried twice, so there is nothing to exhaust
 * (CVE-2026-0621 was an expression with nested quantifiers).
 */
export function match(
  { atoms, lead }: Plan,
  uri: string,
  allowUnsafe: boolean,
  work: Work = { steps: 0 },
): Found | undefined {
  if (uri.length > MAX_URI_LENGTH || !uri.startsWith(lead)) return undefined;
  const symbols = symbolsOf(uri);
  work.steps += uri.length;
  if (symbols === undefined || symbols.codes.length > MAX_URI_LENGTH) return undefined;
  const tables = reach(atoms, symbols.codes, work);
  if (tables[0]![0] !== 1) return undefined;
  const found: Found = new Map();
  for (const { capture, start, end } of walk(atoms, tables, symbols.codes, work)) {
    work.steps += end - start;
    if (!collect(capture, symbols.text(start, end), allowUnsafe, found)) return undefined;
  }
  return found;
}

function reach(atoms: Plan['atoms'], codes: Uint16Array, work: Work): Table[] {
  const end = new Uint8Array(codes.length + 1);
  end[codes.length] = 1;
  const tables: Table[] = new Array(atoms.length + 1).fill(end);
  for (let index = atoms.length - 1; index >= 0; index--) {
    const atom = atoms[index]!;
    const next = tables[index + 1]!;
    tables[index] =
      atom.kind === 'literal'
        ? reachLiteral(atom, codes, next, work)
        : reachRun(atom, codes, next, atom.skip < 0 ? undefined : tables[atom.skip], work);
  }
  return tables;
}

function reachLiteral({ codes: wanted, fallback }: Literal, codes: Uint16Array, next: Table, work: Work): Table {
  const table = new Uint8Array(next.length);
  let matched = 0;
  for (let at = 0; at < codes.length; at++) {
    work.steps++;
    while (matched > 0 && codes[at] !== wanted[matched]) {
      work.steps++;
      matched = fallback[matched - 1]!;
    }
    if (codes[at] === wanted[matched]) matched++;
    if (matched < wanted.length) continue;
    if (next[at + 1] === 1) table[at + 1 - wanted.length] = 1;
    matched = fallback[matched - 1]!;
  }
  return table;
}

function reachRun(run: Run, codes: Uint16Array, next: Table, absent: Table | undefined, work: Work): Table {
  const { allow, least, prefix } = run;
  const table = new Uint8Array(next.length);
  // Whether, from the position just looked at: a run of any length can begin; one that is long enough can.
  let any = 0;
  let enough = 0;
  for (let at = codes.length; at >= 0; at--) {
    work.steps++;
    const code = codes[at];
    const behind = code === prefix ? enough : 0;
    const more = code !== undefined && allow[code] === 1 ? any : 0;
    any = next[at]! | more;
    enough = least === 1 ? more : any;
    table[at] = prefix < 0 ? enough : behind | (absent?.[at] ?? 0);
  }
  return table;
}

function walk(atoms: Plan['atoms'], tables: readonly Table[], codes: Uint16Array, work: Work): Stretch[] {
  const stretches: Stretch[] = [];
  let at = 0;
  for (let index = 0; index < atoms.length; ) {
    const atom = atoms[index]!;
    if (atom.kind === 'literal') {
      at += atom.codes.length;
      index++;
      continue;
    }
    const start = atom.prefix < 0 ? at : at + 1;
    const end =
      atom.prefix < 0 || codes[at] === atom.prefix ? longest(atom, codes, start, tables[index + 1]!, work) : -1;
    if (end < 0) {
      index = atom.skip;
      continue;
    }
    stretches.push({ capture: atom.capture, start, end });
    at = end;
    index++;
  }
  return stretches;
}

/** Where the longest run from `start` ends after which the rest still matches; -1 when there is none. */
function longest({ allow, least }: Run, codes: Uint16Array, start: number, next: Table, work: Work): number {
  let end = -1;
  for (let at = start; at < next.length; at++) {
    work.steps++;
    if (next[at] === 1 && at - start >= least) end = at;
    const code = codes[at];
    if (code === undefined || allow[code] !== 1) break;
  }
  return end;
}
