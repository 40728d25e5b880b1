import { isObject } from '@tenon/base';
import { type JsonObject, loadPeerSchema, TenonError } from 'tenon';

/** Value that a registry entry requests or sets. */
export interface RegistryInput {
  readonly name?: string;
  readonly value?: string;
  readonly default?: string;
  readonly description?: string;
  readonly isRequired?: boolean;
  readonly isSecret?: boolean;
  /** Form of the value: `string`, `number`, `boolean` or `filepath`. */
  readonly format?: string;
  /** Values to choose from. */
  readonly choices?: readonly string[];
  readonly variables?: Readonly<Record<string, RegistryInput>>;
}

/** Argument of a package. */
export interface RegistryArgument extends RegistryInput {
  readonly type: 'positional' | 'named';
  /** Name of the value of an argument without a name. */
  readonly valueHint?: string;
}

/** Package that contains the server. */
export interface RegistryPackage {
  readonly registryType: string;
  readonly identifier: string;
  readonly version?: string;
  /** Registry that has the package. Absent: the public registry of the type. */
  readonly registryBaseUrl?: string;
  /** Program that the author expects to run the package. */
  readonly runtimeHint?: string;
  /** Hash of a bundle. */
  readonly fileSha256?: string;
  readonly transport: { readonly type: string };
  readonly runtimeArguments?: readonly RegistryArgument[];
  readonly packageArguments?: readonly RegistryArgument[];
  readonly environmentVariables?: readonly RegistryInput[];
}

/** Address at which the server runs. */
export interface RegistryRemote {
  readonly type: string;
  readonly url: string;
  readonly headers?: readonly RegistryInput[];
  readonly variables?: Readonly<Record<string, RegistryInput>>;
}

/** `server.json`, as far as it decides how the server is started or reached. */
export interface RegistryServer {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly version: string;
  readonly packages?: readonly RegistryPackage[];
  readonly remotes?: readonly RegistryRemote[];
}

/** Entry of a registry. */
export interface RegistryEntry {
  readonly server: RegistryServer;
  /** State of the entry. Undefined if the registry has none. */
  readonly status: string | undefined;
}

const OFFICIAL = 'io.modelcontextprotocol.registry/official';
const MAX_ITEMS = 100;

const text = { type: 'string', maxLength: 4000 };
const listOf = (items: object) => ({ type: 'array', items, maxItems: MAX_ITEMS });
const plainInput = {
  type: 'object',
  properties: {
    name: text,
    value: text,
    default: text,
    description: text,
    isRequired: { type: 'boolean' },
    isSecret: { type: 'boolean' },
    format: text,
    choices: listOf(text),
  },
};
const variables = { type: 'object', additionalProperties: plainInput, maxProperties: MAX_ITEMS };
const input = { ...plainInput, properties: { ...plainInput.properties, variables } };
const argument = {
  ...input,
  required: ['type'],
  properties: { ...input.properties, type: { enum: ['positional', 'named'] }, valueHint: text },
};
const transport = { type: 'object', required: ['type'], properties: { type: text } };

const ENTRY = {
  type: 'object',
  required: ['server'],
  properties: {
    server: {
      type: 'object',
      required: ['name', 'description', 'version'],
      properties: {
        name: text,
        title: text,
        description: text,
        version: text,
        packages: listOf({
          type: 'object',
          required: ['registryType', 'identifier', 'transport'],
          properties: {
            registryType: text,
            identifier: text,
            version: text,
            registryBaseUrl: text,
            runtimeHint: text,
            fileSha256: text,
            transport,
            runtimeArguments: listOf(argument),
            packageArguments: listOf(argument),
            environmentVariables: listOf(input),
          },
        }),
        remotes: listOf({
          type: 'object',
          required: ['type', 'url'],
          properties: { type: text, url: text, headers: listOf(input), variables },
        }),
      },
    },
    _meta: { type: 'object' },
  },
};

const ENTRY_SCHEMA: JsonObject = ENTRY;
const LIST_SCHEMA: JsonObject = {
  type: 'object',
  required: ['servers'],
  properties: {
    // One entry that is invalid must not hide the others, so each is checked by itself.
    servers: listOf({}),
    metadata: { type: 'object', properties: { nextCursor: { type: ['string', 'null'], maxLength: 4000 } } },
  },
};

interface WrittenEntry {
  readonly server: RegistryServer;
  readonly _meta?: Readonly<Record<string, { readonly status?: unknown } | undefined>>;
}

const toEntry = ({ server, _meta }: WrittenEntry): RegistryEntry => {
  const { status } = _meta?.[OFFICIAL] ?? {};
  return { server, status: typeof status === 'string' ? status : undefined };
};

/** Parses the response with one server. */
export async function parseRegistryEntry(value: unknown, registry: string): Promise<RegistryEntry> {
  await checkShape(value, ENTRY_SCHEMA, registry);
  return toEntry(value as WrittenEntry);
}

/** Entry of a registry that is not in the form of the API. */
export interface InvalidEntry {
  /** Name of the server, if the entry has one. */
  readonly name: string | undefined;
  readonly issue: string;
}

/** Page of a registry. */
export interface RegistryPage {
  readonly entries: readonly RegistryEntry[];
  /** Entries that are left out. */
  readonly invalid: readonly InvalidEntry[];
  readonly nextCursor: string | undefined;
}

/** Parses a page of servers. */
export async function parseRegistryList(value: unknown, registry: string): Promise<RegistryPage> {
  await checkShape(value, LIST_SCHEMA, registry);
  const { servers, metadata } = value as {
    readonly servers: readonly unknown[];
    readonly metadata?: { readonly nextCursor?: string | null };
  };
  const schema = await loadPeerSchema(ENTRY_SCHEMA);
  const entries: RegistryEntry[] = [];
  const invalid: InvalidEntry[] = [];
  for (const each of servers) {
    const checked = schema.check(each);
    if (checked.ok) entries.push(toEntry(each as WrittenEntry));
    else invalid.push({ name: findName(each), issue: describeIssue(checked) });
  }
  return { entries, invalid, nextCursor: metadata?.nextCursor || undefined };
}

function findName(entry: unknown): string | undefined {
  const server = isObject(entry) ? entry.server : undefined;
  return isObject(server) && typeof server.name === 'string' ? server.name.slice(0, 200) : undefined;
}

type FailedCheck = Exclude<ReturnType<Awaited<ReturnType<typeof loadPeerSchema>>['check']>, { readonly ok: true }>;

async function checkShape(value: unknown, schema: JsonObject, registry: string): Promise<void> {
  const checked = (await loadPeerSchema(schema)).check(value);
  if (checked.ok) return;
  throw new TenonError('registry/answer', `${registry}: the response is not of the registry API v0.1`, {
    received: describeIssue(checked),
    hint: 'check the URL of the registry',
  });
}

/** Describes the first issue of a value. One that is too large to check is refused too. */
function describeIssue(checked: FailedCheck): string {
  if (checked.ok === null) return checked.reason;
  const [issue] = checked.issues;
  if (issue === undefined) return 'invalid';
  return issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`;
}
