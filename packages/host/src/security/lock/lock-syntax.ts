import { escapeInvisible, keepIntegers, parseJsonText, TenonError } from '@tenon/base';
import { type JsonTree, parseJsonTree, type TextPosition } from '../../config/json/parse-json.js';
import { LOCKFILE_VERSION, MAX_LOCK } from './lock.js';

/** Maximum depth of objects and arrays. The parser is recursive, so the stack limits it. */
const MAX_DEPTH = 1000;

/**
 * Parses JSON without duplicate names. Otherwise the reader could see the first value, and the program could use the
 * last one.
 */
export function parseLock(text: string, name: string): unknown {
  if (text.length > MAX_LOCK) {
    throw new TenonError('lock/too-large', `${name} is too long`, {
      expected: `at most ${MAX_LOCK} characters`,
      received: `${text.length}`,
    });
  }
  const merge = text.split('\n').findIndex(line => /^(<{7}|={7}|>{7})(\s|$)/.test(line));
  if (merge >= 0)
    throw createLockSyntaxError(name, { line: merge + 1, column: 1 }, 'the file has merge conflict markers');
  const tree = parseJsonTree(text, { maxDepth: MAX_DEPTH });
  if ('fault' in tree) throw createLockSyntaxError(name, tree, `invalid JSON (${tree.fault})`);
  checkNames(tree, name);
  // Digests are made of the numbers as the servers sent them.
  keepIntegers();
  return parseJsonText(text);
}

function checkNames(tree: JsonTree, file: string): void {
  if (tree.kind === 'array') for (const item of tree.items) checkNames(item, file);
  if (tree.kind !== 'object') return;
  const names = new Set<string>();
  for (const member of tree.members) {
    if (names.has(member.name))
      throw createLockSyntaxError(file, member, `${escapeInvisible(JSON.stringify(member.name))} is a duplicate key`);
    names.add(member.name);
    checkNames(member.value, file);
  }
}

function createLockSyntaxError(
  name: string,
  { line, column }: Pick<TextPosition, 'line' | 'column'>,
  summary: string,
): TenonError {
  return new TenonError('lock/syntax', `${name}, line ${line}, column ${column}: ${summary}`, { hint: RESTORE_HINT });
}

export function createVersionError(name: string, got: unknown): TenonError {
  return new TenonError('lock/version', `${name}: unsupported lock version`, {
    expected: `lockfileVersion ${LOCKFILE_VERSION}`,
    received: formatValue(got),
    hint: 'update tenon, or write the lock again with `tenon lock`',
  });
}

export function createShapeError(name: string, at: readonly string[], expected: string, got: unknown): TenonError {
  return new TenonError('lock/shape', `${name}: invalid value at ${formatPath(at)}`, {
    expected,
    received: formatValue(got),
    hint: RESTORE_HINT,
  });
}

export function createDigestError(name: string, at: readonly string[]): TenonError {
  return new TenonError('lock/digest', `${name}: wrong digest of the definition at ${formatPath(at)}`, {
    hint: RESTORE_HINT,
  });
}

const RESTORE_HINT = 'restore the file, or write it again and look over the difference';

const formatPath = (at: readonly string[]): string => `/${at.map(escapeInvisible).join('/')}`;

const formatValue = (value: unknown): string => escapeInvisible((JSON.stringify(value) ?? 'nothing').slice(0, 60));
