import { TenonError } from '../../jsonrpc/error.js';
import { firstFault } from '../json/syntax.js';
import { LOCKFILE_VERSION, MAX_LOCK } from './lock.js';
import { visible } from './visible.js';

/** How deep its objects and arrays may lie in each other. Digests are made going one call deeper with each level. */
const MAX_DEPTH = 4000;

/** JSON in which no name stands twice: of two the reader would see the one, and the program take the other. */
export function parseLock(text: string, name: string): unknown {
  if (text.length > MAX_LOCK) {
    throw new TenonError('lock/too-large', `${name} is too long`, {
      expected: `${MAX_LOCK} characters at the most`,
      got: `${text.length}`,
    });
  }
  const merge = text.split('\n').findIndex(line => /^(<{7}|={7}|>{7})(\s|$)/.test(line));
  if (merge >= 0) throw syntax(name, merge, 0, 'the file is in the middle of a merge');
  checkSyntax(text, name);
  return JSON.parse(text);
}

function checkSyntax(text: string, name: string): void {
  const open: Set<string>[] = [];
  const found = firstFault(
    text,
    { maxDepth: MAX_DEPTH },
    {
      beginObject: () => void open.push(new Set()),
      endObject: () => void open.pop(),
      name(written, offset) {
        const property = written.includes('\\') ? (JSON.parse(written) as string) : written.slice(1, -1);
        const names = open.at(-1);
        if (names?.has(property))
          throw syntax(name, ...placeOf(text, offset), `${visible(JSON.stringify(property))} stands there twice`);
        names?.add(property);
      },
    },
  );
  if (found) throw syntax(name, ...placeOf(text, found.offset), `this is no JSON (${found.fault})`);
}

/** The line and the column of an offset, from 0. */
function placeOf(text: string, offset: number): [line: number, column: number] {
  let line = 0;
  let start = 0;
  for (const { index, 0: end } of text.slice(0, offset).matchAll(/\r\n?|\n/g)) {
    line += 1;
    start = index + end.length;
  }
  return [line, offset - start];
}

/** Lines and columns are counted from 0 here, and from 1 where they are told. */
function syntax(name: string, line: number, column: number, what: string): TenonError {
  return new TenonError('lock/syntax', `${name}, line ${line + 1}, column ${column + 1}: ${what}`, { next: RESTORE });
}

export function wrongVersion(name: string, got: unknown): TenonError {
  return new TenonError('lock/version', `${name} can not be read`, {
    expected: `lockfileVersion ${LOCKFILE_VERSION}`,
    got: shown(got),
    next: 'use the version of tenon that wrote it, or a later one, or write the lock again',
  });
}

export function misshapen(name: string, at: readonly string[], expected: string, got: unknown): TenonError {
  return new TenonError('lock/shape', `${name}, at ${pathOf(at)}`, { expected, got: shown(got), next: RESTORE });
}

export function wrongDigest(name: string, at: readonly string[]): TenonError {
  return new TenonError('lock/digest', `${name}, at ${pathOf(at)}: the digest is not that of the definition`, {
    next: `somebody has changed it by hand: ${RESTORE}`,
  });
}

const RESTORE = 'restore the file, or write it again and look over the difference';

const pathOf = (at: readonly string[]): string => `/${at.map(visible).join('/')}`;

const shown = (value: unknown): string => visible((JSON.stringify(value) ?? 'nothing').slice(0, 60));
