import { isObject, toJsonObject } from '@tenon/base';
import { type JsonObject, loadPeerSchema, TenonError } from 'tenon';

/** Value that a bundle requests from the user. */
export interface UserConfigField {
  readonly type: 'string' | 'number' | 'boolean' | 'directory' | 'file';
  readonly title: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly default?: UserConfigValue;
  readonly multiple?: boolean;
  readonly sensitive?: boolean;
  readonly min?: number;
  readonly max?: number;
}

export type UserConfigValue = string | number | boolean | readonly string[];

/** Command line of a bundle, with variables. */
export interface BundleCommand {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Content of `manifest.json`, as far as it decides how the server is started. */
export interface BundleManifest {
  readonly name: string;
  readonly version: string;
  readonly server: {
    readonly type: 'node' | 'python' | 'binary' | 'uv';
    readonly entry_point: string;
    readonly mcp_config?: BundleCommand & {
      readonly platform_overrides?: Readonly<Record<string, BundleCommand>>;
    };
  };
  readonly compatibility?: { readonly platforms?: readonly string[] };
  readonly user_config?: Readonly<Record<string, UserConfigField>>;
}

/** Versions of the manifest that are supported. */
const VERSIONS = ['0.1', '0.2', '0.3', '0.4'];
const MAX_ISSUES = 5;

const text = { type: 'string', minLength: 1, maxLength: 4000 };
const texts = { type: 'array', items: { type: 'string', maxLength: 8000 }, maxItems: 1000 };
const command = {
  type: 'object',
  properties: {
    command: text,
    args: texts,
    env: { type: 'object', additionalProperties: { type: 'string', maxLength: 32_000 }, maxProperties: 1000 },
  },
};
const field = {
  type: 'object',
  required: ['type', 'title', 'description'],
  properties: {
    type: { enum: ['string', 'number', 'boolean', 'directory', 'file'] },
    title: text,
    description: { type: 'string', maxLength: 8000 },
    required: { type: 'boolean' },
    default: { anyOf: [{ type: ['string', 'number', 'boolean'] }, texts] },
    multiple: { type: 'boolean' },
    sensitive: { type: 'boolean' },
    min: { type: 'number' },
    max: { type: 'number' },
  },
};

const SCHEMA: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  required: ['name', 'version', 'description', 'author', 'server'],
  properties: {
    manifest_version: { enum: VERSIONS },
    dxt_version: { enum: VERSIONS },
    name: text,
    version: text,
    description: text,
    author: { type: 'object', required: ['name'], properties: { name: text } },
    server: {
      type: 'object',
      required: ['type', 'entry_point'],
      properties: {
        type: { enum: ['node', 'python', 'binary', 'uv'] },
        entry_point: text,
        mcp_config: {
          ...command,
          properties: {
            ...command.properties,
            platform_overrides: { type: 'object', additionalProperties: command, maxProperties: 20 },
          },
        },
      },
      // Hosts start a bundle of the type `uv` themselves.
      anyOf: [
        { properties: { type: { const: 'uv' } } },
        { required: ['mcp_config'], properties: { mcp_config: { required: ['command'] } } },
      ],
    },
    compatibility: { type: 'object', properties: { platforms: texts } },
    user_config: { type: 'object', additionalProperties: field, maxProperties: 200 },
  },
};

/** Parses the manifest of a bundle. */
export async function parseManifest(json: string, label: string): Promise<BundleManifest> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json.replace(/^\uFEFF/, ''));
  } catch {
    throw createManifestError(label, 'it is not valid JSON');
  }
  // Version 0.1 names the version `dxt_version`.
  if (isObject(parsed) && parsed.manifest_version === undefined && parsed.dxt_version === undefined)
    throw createManifestError(label, 'manifest_version: is required');
  const checked = (await loadPeerSchema(SCHEMA)).check(parsed);
  if (checked.ok === null) throw createManifestError(label, checked.reason);
  if (!checked.ok) {
    const issues = checked.issues
      .slice(0, MAX_ISSUES)
      .map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`));
    throw createManifestError(label, issues.join('; '));
  }
  const manifest = parsed as BundleManifest;
  const { platforms } = manifest.compatibility ?? {};
  if (platforms && !platforms.includes(process.platform)) {
    throw new TenonError('mcpb/platform', `${label}: the bundle does not support this platform`, {
      expected: platforms.join(', '),
      received: process.platform,
    });
  }
  return manifest;
}

/** Members of a manifest that do not decide how the server is started. */
const DESCRIPTIONS = [
  ...[
    '$schema',
    'display_name',
    'long_description',
    'repository',
    'homepage',
    'documentation',
    'support',
    'icon',
    'icons',
  ],
  ...['screenshots', 'tools', 'tools_generated', 'prompts', 'prompts_generated', 'keywords', 'license', '_meta'],
  ...['privacy_policies', 'localization'],
];

/**
 * Lists the members that this version does not know, such as those of a later manifest, and variables without a field in
 * `user_config`. They have no effect.
 */
export function listUnknownMembers(manifest: BundleManifest): string[] {
  const list = (value: unknown, known: readonly string[], path: string) =>
    isObject(value) ? Object.keys(value).flatMap(key => (known.includes(key) ? [] : [`${path}${key}`])) : [];
  const { server, compatibility, user_config: fields = {} } = manifest;
  const { properties } = SCHEMA;
  const references = JSON.stringify(server.mcp_config ?? {}).match(/\$\{user_config\.[^}"\\]+\}/g) ?? [];
  const isUnknown = (reference: string) => !Object.hasOwn(fields, reference.slice('${user_config.'.length, -1));
  return [
    ...new Set(references.filter(isUnknown)),
    ...list(manifest, [...Object.keys(toJsonObject(properties)), ...DESCRIPTIONS], ''),
    ...list(server, ['type', 'entry_point', 'mcp_config'], 'server.'),
    ...list(server.mcp_config, ['command', 'args', 'env', 'platform_overrides'], 'server.mcp_config.'),
    ...list(compatibility, ['platforms', 'runtimes', 'claude_desktop'], 'compatibility.'),
    ...Object.entries(fields).flatMap(([name, each]) =>
      list(each, Object.keys(field.properties), `user_config.${name}.`),
    ),
  ];
}

function createManifestError(label: string, summary: string): TenonError {
  return new TenonError('mcpb/manifest', `${label}: invalid manifest.json: ${summary}`, {
    expected: `a manifest of the version ${VERSIONS.join(', ')}`,
    hint: 'report to the author of the bundle, or check it with `npx @anthropic-ai/mcpb validate`',
  });
}
