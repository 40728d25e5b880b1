import { isObject, type JsonObject, toJsonObject } from '@tenon/base';
import { applyEdits, modify } from 'jsonc-parser';
import packageJson from '../../package.json' with { type: 'json' };
import { isSdkPackage } from './sdk-names.js';

/** Lowest version of zod 4 that converts its schemas to JSON Schema. */
const ZOD_RANGE = '^4.1.0';
const LISTS = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'] as const;
/** Lowest version of Node that Tenon supports. */
const NODE_RANGE = '>=20.19';

/** Needs of the migrated sources. */
export interface PackageNeeds {
  /** True if some module still imports the SDK. */
  readonly keepsSdk: boolean;
  /** True if a module imports zod. */
  readonly usesZod: boolean;
}

/** Changes the dependencies in the text of a `package.json`, and keeps the rest as it is. */
export function migratePackageFile(text: string, { keepsSdk, usesZod }: PackageNeeds): string {
  const parsed: unknown = JSON.parse(text);
  if (!isObject(parsed)) return text;
  let result = text;
  const indent = /\n([ \t]+)/.exec(text)?.[1] ?? '  ';
  const formattingOptions = { insertSpaces: !indent.startsWith('\t'), tabSize: indent.length, eol: '\n' };
  const set = (path: string[], value: unknown) => {
    result = applyEdits(result, modify(result, path, value, { formattingOptions }));
  };
  for (const list of LISTS) {
    const entries = readEntries(parsed, list);
    for (const [name, range] of Object.entries(entries)) {
      if (isSdkPackage(name) && !keepsSdk) set([list, name], undefined);
      if (name === 'zod' && selectsZod3(String(range))) set([list, name], ZOD_RANGE);
    }
  }
  set(['dependencies', 'tenon'], `^${packageJson.version}`);
  const hasZod = LISTS.some(list => 'zod' in readEntries(parsed, list));
  if (usesZod && !hasZod) set(['dependencies', 'zod'], ZOD_RANGE);
  const { engines } = parsed;
  if (isObject(engines) && typeof engines.node === 'string' && allowsUnsupportedNode(engines.node))
    set(['engines', 'node'], NODE_RANGE);
  return result;
}

/** Tells if a project depends on zod 3. */
export function usesZod3(text: string): boolean {
  const parsed: unknown = JSON.parse(text);
  return isObject(parsed) && LISTS.some(list => selectsZod3(String(readEntries(parsed, list).zod ?? '')));
}

const readEntries = (parsed: JsonObject, list: string): JsonObject => {
  const entries = parsed[list];
  return toJsonObject(entries);
};

/** Tells if a range selects zod 3, whose schemas cannot be converted to JSON Schema. */
const selectsZod3 = (range: string): boolean => /^[~^>=v\s]*3(?:\.|$)/.test(range);

/** Tells if a range of the form `>=18` allows a Node that Tenon does not support. */
function allowsUnsupportedNode(range: string): boolean {
  const [, major = '', minor = '0'] = /^\s*(?:>=|\^|~)?\s*v?(\d+)(?:\.(\d+))?/.exec(range) ?? [];
  return Number(major) < 20 || (Number(major) === 20 && Number(minor) < 19);
}
