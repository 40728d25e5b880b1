import { isTextList } from '@tenon/base';
import { parse } from 'yaml';
import { readArgumentFile } from '../tools/read-json.js';
import { createUsageError } from '../usage-error.js';
import type { Side } from './run-suite.js';

/** Scenarios that are expected to fail, by side. */
export type ExpectedFailures = Readonly<Record<Side, readonly string[]>>;

const SHAPE = 'write lists of scenarios under "server" and "client", as the suite reads them';

/** Reads a file of expected failures. Its format is the one of the suite's own option `--expected-failures`. */
export async function readExpectedFailures(path: string): Promise<ExpectedFailures> {
  const text = await readArgumentFile(path, '--baseline', 'pass an existing YAML file');
  const content = parseYaml(path, text) ?? {};
  if (typeof content !== 'object' || Array.isArray(content)) throw createUsageError(`${path}: not a map`, SHAPE);
  const { server, client } = content as Readonly<Record<string, unknown>>;
  return { server: readList(path, server), client: readList(path, client) };
}

function parseYaml(path: string, text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 0 });
  } catch {
    throw createUsageError(`${path}: not valid YAML`, SHAPE);
  }
}

function readList(path: string, list: unknown): string[] {
  if (list === undefined || list === null) return [];
  if (isTextList(list)) return list;
  throw createUsageError(`${path}: not a list of scenarios`, SHAPE);
}
