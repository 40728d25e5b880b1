import { isDeepStrictEqual } from 'node:util';
import { isObject } from '@tenon/base';
import { TenonError } from 'tenon';
import { type ConfigFormat, ConfigTextError } from './formats/config-format.js';
import { jsoncFormat } from './formats/jsonc-format.js';
import { tomlFormat } from './formats/toml-format.js';
import { yamlFormat } from './formats/yaml-format.js';
import { listUserInputs, updateInputs } from './host-inputs.js';
import type { HostEntry } from './hosts/format-entry.js';
import type { McpHost } from './hosts/mcp-host.js';

/** Configuration of a host as text. Changes return other texts, which are not written yet. */
export interface HostConfig {
  readonly host: McpHost;
  readonly file: string;
  readonly text: string;
}

const FORMATS: Readonly<Record<McpHost['format'], ConfigFormat>> = {
  jsonc: jsoncFormat,
  toml: tomlFormat,
  yaml: yamlFormat,
};
const BYTE_ORDER_MARK = '\uFEFF';

/** Lists the servers of a configuration by name. */
export function listHostEntries({ host, file, text }: HostConfig): ReadonlyMap<string, unknown> {
  return withLocation(file, () => readEntries(host, FORMATS[host.format].parse(stripMark(text))));
}

/** Checks the syntax of a file. Throws an error with the position of a mistake. */
export function checkSyntax(format: McpHost['format'], file: string, text: string): void {
  withLocation(file, () => FORMATS[format].parse(stripMark(text)));
}

/** Adds an entry, or changes the members of an existing one that differ. Returns the text. */
export function setHostEntry(config: HostConfig, name: string, entry: HostEntry): string {
  const { host } = config;
  return changeText(
    config,
    (format, text) => {
      const before = readEntries(host, format.parse(text)).get(name);
      const isBlank = text.trim() === '' && host.initial !== undefined;
      if (host.listKey !== undefined)
        return setListItem(host, format, isBlank ? (host.initial ?? '') : text, name, entry);
      if (!format.editsEntries || !isObject(before)) return format.setMember(text, host.section, name, entry);
      return setMembers(format, text, [...host.section, name], before, entry);
    },
    entries => entries.set(name, host.listKey === undefined ? entry : { [host.listKey]: name, ...entry }),
  );
}

/** Removes an entry. Returns the text. */
export function removeHostEntry(config: HostConfig, name: string): string {
  const { host } = config;
  return changeText(
    config,
    (format, text) => {
      if (host.listKey === undefined) return format.removeMember(text, host.section, name);
      const index = findListItem(host, format.parse(text), name);
      return index < 0 ? text : (format.removeItem?.(text, host.section, index) ?? text);
    },
    entries => entries.delete(name),
  );
}

/** Changes a text, and checks that it then has the expected servers and is otherwise the same. */
function changeText(
  { host, file, text }: HostConfig,
  change: (format: ConfigFormat, text: string) => string,
  expect: (entries: Map<string, unknown>) => unknown,
): string {
  const format = FORMATS[host.format];
  const content = stripMark(text);
  return withLocation(file, () => {
    const before = format.parse(content);
    const expected = new Map(readEntries(host, before));
    expect(expected);
    const changed = updateInputs(host, format, change(format, content), [...expected.values()]);
    const after = format.parse(changed);
    const isSame =
      isDeepStrictEqual(readEntries(host, after), expected) &&
      (content.trim() === '' || isDeepStrictEqual(getOtherSettings(host, after), getOtherSettings(host, before)));
    if (!isSame) throw new ConfigTextError('the form of the file is not supported');
    return text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK + changed : changed;
  });
}

const stripMark = (text: string): string => (text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);

function setMembers(
  format: ConfigFormat,
  text: string,
  path: readonly string[],
  before: HostEntry,
  entry: HostEntry,
): string {
  let result = text;
  for (const key of Object.keys(before))
    if (!Object.hasOwn(entry, key)) result = format.removeMember(result, path, key);
  for (const [key, value] of Object.entries(entry)) {
    if (!isDeepStrictEqual(before[key], value)) result = format.setMember(result, path, key, value);
  }
  return result;
}

function setListItem(host: McpHost, format: ConfigFormat, text: string, name: string, entry: HostEntry): string {
  const index = findListItem(host, format.parse(text), name);
  const others = index < 0 ? text : (format.removeItem?.(text, host.section, index) ?? text);
  return format.appendItem?.(others, host.section, { [host.listKey ?? 'name']: name, ...entry }) ?? others;
}

function findListItem({ section, listKey = 'name' }: McpHost, content: unknown, name: string): number {
  const list = getSection(section, content);
  return Array.isArray(list) ? list.findIndex(each => isObject(each) && each[listKey] === name) : -1;
}

function readEntries({ section, listKey }: McpHost, content: unknown): Map<string, unknown> {
  const value = getSection(section, content);
  const key = section.join('.');
  if (value === undefined || value === null) return new Map();
  if (listKey === undefined) {
    if (!isObject(value)) throw new ConfigTextError(`"${key}" is not an object`);
    return new Map(Object.entries(value));
  }
  if (!Array.isArray(value)) throw new ConfigTextError(`"${key}" is not a list`);
  return new Map(
    value.flatMap(each => (isObject(each) && typeof each[listKey] === 'string' ? [[each[listKey], each]] : [])),
  );
}

function getSection(section: readonly string[], content: unknown): unknown {
  return section.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), content);
}

/** Returns everything but the servers, and the inputs that this command declares for them. */
function getOtherSettings(host: McpHost, content: unknown): unknown {
  if (!isObject(content)) return content;
  const omitted = [host.section[0], host.variables.inputs];
  const others = Object.entries(content).filter(([name]) => !omitted.includes(name));
  return [others, listUserInputs(host, content)];
}

/** Adds the file and the position to the errors of a text. */
function withLocation<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ConfigTextError)) throw error;
    const { position } = error;
    const place = position === undefined ? file : `${file}:${position.line}:${position.column}`;
    throw new TenonError('hosts/syntax', `${place}: ${error.message}`, {
      hint: 'check the file at this position, or leave this host out',
      cause: error,
    });
  }
}
