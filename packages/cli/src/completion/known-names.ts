import { createFolder } from '@tenon/base/node';
/** Names that servers offered when they were used last. Completions read them, because pressing Tab must not start or call a server. */

import { createHash } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Prompt, Resource, ResourceTemplate, Tool } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { getFolders } from '../folders.js';
import { formatFile, parseFile } from '../stores/file-format.js';
import type { TargetReference } from '../target/target-reference.js';
import { listParameters, type Parameter } from '../tools/type-text.js';

/** Argument of a tool or a prompt. */
export interface KnownArgument {
  readonly name: string;
  readonly description?: string | undefined;
  /** True if values are written as JSON. */
  readonly isJson?: boolean | undefined;
  /** Possible values, if the schema lists them. */
  readonly values?: readonly string[] | undefined;
}

/** Tool, prompt, resource or resource template. A resource is known by its URI. */
export interface KnownEntry {
  readonly name: string;
  readonly description?: string | undefined;
  readonly arguments?: readonly KnownArgument[] | undefined;
}

/** Names of one server. A list is absent until a command has read it. */
export interface KnownNames {
  readonly tools?: readonly KnownEntry[] | undefined;
  readonly prompts?: readonly KnownEntry[] | undefined;
  readonly resources?: readonly KnownEntry[] | undefined;
  readonly templates?: readonly KnownEntry[] | undefined;
}

/** Definitions that a command has read from a server. */
export interface ReadDefinitions {
  readonly tools?: readonly Tool[] | undefined;
  readonly prompts?: readonly Prompt[] | undefined;
  readonly resources?: readonly Resource[] | undefined;
  readonly templates?: readonly ResourceTemplate[] | undefined;
}

const MAX_ENTRIES = 1000;
const MAX_ARGUMENTS = 100;
const MAX_VALUES = 50;
const MAX_NAME = 256;
const MAX_DESCRIPTION = 120;

/** Stores the names of a server, in a file that only the user can read. Does nothing if the folder is not writable. */
export async function storeKnownNames(
  context: CliContext,
  reference: TargetReference,
  read: ReadDefinitions,
): Promise<void> {
  const path = getPath(context, reference);
  const temporary = `${path}.${process.pid}`;
  try {
    const before = await readNames(path);
    if (before === undefined) return;
    const names: KnownNames = { ...before, ...toKnownNames(read) };
    await createFolder(getFolder(context), 0o700);
    await writeFile(temporary, formatFile({ ...names }), { mode: 0o600 });
    await rename(temporary, path);
  } catch {
    // Completions are then those of the last time.
  }
}

/** Returns the names of a server, or no names if it was never used. */
export async function readKnownNames(context: CliContext, reference: TargetReference): Promise<KnownNames> {
  return (await readNames(getPath(context, reference))) ?? {};
}

/** Returns the names in a file, or `undefined` if another release wrote it in a format that this one must not replace. */
async function readNames(path: string): Promise<KnownNames | undefined> {
  try {
    return parseFile(await readFile(path, 'utf8'));
  } catch {
    return {};
  }
}

const getFolder = ({ env }: CliContext): string => join(getFolders(env).state, 'completion');

/** The name of the file is a digest, because a URL or a command line may contain a secret. */
function getPath(context: CliContext, reference: TargetReference): string {
  // The same name or command may be another server in another folder.
  const folder = reference.kind === 'name' || reference.kind === 'command' ? context.cwd : '';
  const key = createHash('sha256')
    .update(JSON.stringify([reference, folder]))
    .digest('hex');
  return join(getFolder(context), `${key.slice(0, 32)}.json`);
}

function toKnownNames({ tools, prompts, resources, templates }: ReadDefinitions): KnownNames {
  return {
    ...(tools && {
      tools: toEntries(tools, ({ name, description, inputSchema }) => ({
        name,
        description,
        arguments: listParameters(inputSchema).slice(0, MAX_ARGUMENTS).map(toArgument),
      })),
    }),
    ...(prompts && {
      prompts: toEntries(prompts, ({ name, description, arguments: parameters = [] }) => ({
        name,
        description,
        arguments: parameters.slice(0, MAX_ARGUMENTS).map(each => ({
          name: each.name,
          description: shorten(each.description),
        })),
      })),
    }),
    ...(resources && { resources: toEntries(resources, ({ uri, name }) => ({ name: uri, description: name })) }),
    ...(templates && {
      templates: toEntries(templates, ({ uriTemplate, name }) => ({
        name: uriTemplate,
        description: name,
        arguments: [...uriTemplate.matchAll(/\{[+#./;?&]?([\w.,*:]+)\}/g)]
          .flatMap(([, names = '']) => names.split(','))
          .map(variable => ({ name: variable.replace(/[*:].*$/, '') })),
      })),
    }),
  };
}

function toEntries<T>(list: readonly T[], convert: (each: T) => KnownEntry): KnownEntry[] {
  return list
    .slice(0, MAX_ENTRIES)
    .map(convert)
    .filter(({ name }) => isPrintable(name))
    .map(entry => ({
      ...entry,
      description: shorten(entry.description),
      arguments: entry.arguments?.filter(({ name }) => isPrintable(name)),
    }));
}

function toArgument({ name, schema }: Parameter): KnownArgument {
  const { type, enum: listed, description } = schema;
  const values = type === 'boolean' ? [true, false] : Array.isArray(listed) ? listed : [];
  const texts = values.slice(0, MAX_VALUES).map(String).filter(isPrintable);
  return {
    name,
    description: shorten(description),
    ...(type === 'object' || type === 'array' ? { isJson: true } : {}),
    ...(texts.length > 0 ? { values: texts } : {}),
  };
}

/** Tells if a name can be shown and typed. Control characters would act on the terminal. */
const isPrintable = (name: string): boolean =>
  name !== '' && name.length <= MAX_NAME && !/[\p{C}\p{Zl}\p{Zp}]/u.test(name);

function shorten(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  const [line = ''] = text
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, '\n')
    .trim()
    .split('\n');
  return line.slice(0, MAX_DESCRIPTION) || undefined;
}
