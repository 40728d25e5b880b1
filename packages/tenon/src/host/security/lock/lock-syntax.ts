import { TenonError } from '../../../jsonrpc/error.js';
import { findSyntaxFault } from '../../config/json/json-syntax.js';
import { escapeInvisible } from './escape-invisible.js';
import { LOCKFILE_VERSION, MAX_LOCK } from './lock.js';

/** Maximum depth of objects and arrays. Digests are made going one call deeper with each level. */
const MAX_DEPTH = 4000;

/** JSON in which no name stands twice: of two the reader would see the one, and the program take the other. */
export function parseLock(text: string, name: string): unknown {
  if (text.length > MAX_LOCK) {
    throw new TenonError('lock/too-large', `${name} is too long`, {
      expected: `${MAX_LOCK} characters at the most`,
      received: `${text.length}`,
    });
  }
  const merge = text.split('\n').findIndex(line => /^(<{7}|={7}|>{7})(\s|$)/.test(line));
  if (merge >= 0) throw createLockSyntaxError(name, merge, 0, 'the file is in the middle of a merge');
  checkSyntax(text, name);
  return JSON.parse(text);
}

function checkSyntax(text: string, name: string): void {
  const open: Set<string>[] = [];
  const found = findSyntaxFault(
    text,
    { maxDepth: MAX_DEPTH },
    {
      onObjectStart: () => void open.push(new Set()),
      onObjectEnd: () => void open.pop(),
      onName(written, offset) {
        const property = written.includes('\\') ? (JSON.parse(written) as string) : written.slice(1, -1);
        const names = open.at(-1);
        if (names?.has(property))
          throw createLockSyntaxError(
            name,
            ...getPosition(text, offset),
            `${escapeInvisible(JSON.stringify(property))} stands there twice`,
          );
        names?.add(property);
      },
    },
  );
  if (found) throw createLockSyntaxError(name, ...getPosition(text, found.offset), `this is no JSON (${found.fault})`);
}

/** The line and the column of an offset, from 0. */
function getPosition(text: string, offset: number): [line: number, column: number] {
  let line = 0;
  let start = 0;
  for (const { index, 0: end } of text.slice(0, offset).matchAll(/\r\n?|\n/g)) {
    line += 1;
    start = index + end.length;
  }
  return [line, offset - start];
}

/** Lines and columns are counted from 0 here, and from 1 where they are told. */
function createLockSyntaxError(name: string, line: number, column: number, what: string): TenonError {
  return new TenonError('lock/syntax', `${name}, line ${line + 1}, column ${column + 1}: ${what}`, {
    hint: RESTORE_HINT,
  });
}

export function createVersionError(name: string, got: unknown): TenonError {
  return new TenonError('lock/version', `${name} cannot be read`, {
    expected: `lockfileVersion ${LOCKFILE_VERSION}`,
    received: formatValue(got),
    hint: 'use the version of tenon that wrote it, or a later one, or write the lock again',
  });
}

export function createShapeError(name: string, at: readonly string[], expected: string, got: unknown): TenonError {
  return new TenonError('lock/shape', `${name}, at ${formatPath(at)}`, {
    expected,
    received: formatValue(got),
    hint: RESTORE_HINT,
  });
}

export function createDigestError(name: string, at: readonly string[]): TenonError {
  return new TenonError('lock/digest', `${name}, at ${formatPath(at)}: the digest is not that of the definition`, {
    hint: `somebody has changed it by hand: ${RESTORE_HINT}`,
  });
}

const RESTORE_HINT = 'restore the file, or write it again and look over the difference';

const formatPath = (at: readonly string[]): string => `/${at.map(escapeInvisible).join('/')}`;

const formatValue = (value: unknown): string => escapeInvisible((JSON.stringify(value) ?? 'nothing').slice(0, 60));
