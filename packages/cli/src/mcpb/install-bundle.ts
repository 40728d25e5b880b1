// biome-ignore-all lint/suspicious/noTemplateCurlyInString: manifests write variables so

import { type CommandTarget, sanitizeText } from '@tenon/host';
import { TenonError } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { createInputPrompt } from '../host/input-prompt.js';
import { formatReference, getReference, toVariableName } from '../mcp-hosts/hosts/variable-text.js';
import { findVariable, listTexts } from '../target/fill-references.js';
import { createUsageError } from '../usage-error.js';
import { prepareBundle } from './bundle-entry.js';
import { createBundleTarget, expandSystemVariables } from './create-bundle-command.js';
import type { Bundle } from './extract-bundle.js';
import type { UserConfigField, UserConfigValue } from './manifest.js';
import { checkValueNames, createMissingError, expandDefault, parseValue, toInput } from './user-config.js';

/** Values for a bundle that is added to hosts. */
interface BundleValues {
  /** Values that the bundle requests, and other variables of the server. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Values that the bundle requests. */
  readonly userConfig?: Readonly<Record<string, string>> | undefined;
}

/**
 * Unpacks a bundle for hosts that start servers by a command. Asks for values without a text. Required secrets are
 * references to variables of the user.
 *
 * @throws TenonError `cli/usage` for a secret or a missing value; `mcpb/…` for an invalid bundle
 */
export async function installBundle(
  context: CliContext,
  path: string,
  { env = {}, userConfig = {} }: BundleValues = {},
): Promise<CommandTarget> {
  const bundle = await prepareBundle(context, path);
  refuseVariables(path, bundle);
  const fields = Object.entries(bundle.manifest.user_config ?? {});
  checkValueNames(
    'the bundle has no value',
    Object.keys(userConfig),
    fields.map(([name]) => name),
  );
  const written = { ...env, ...userConfig };
  const values: Record<string, UserConfigValue> = {};
  for (const [name, field] of fields) {
    const text = Object.hasOwn(written, name) ? written[name] : undefined;
    const value = text === undefined ? await askValue(context, name, field) : readValue(name, field, text, context.cwd);
    if (value !== undefined) values[name] = value;
  }
  const { target } = createBundleTarget(bundle, values);
  const others = Object.entries(env).filter(([name]) => fields.every(([field]) => field !== name));
  const { cwd: _, ...command } = target;
  return { ...command, env: { ...target.env, ...Object.fromEntries(others) } };
}

/**
 * Refuses texts of the bundle that a host would replace by a variable of the user. Values that the bundle requests, and places
 * such as its folder, have their values already.
 */
function refuseVariables(path: string, bundle: Bundle): void {
  const fields = Object.entries(bundle.manifest.user_config ?? {});
  const usual = fields.map(([name, field]) => [name, expandDefault(field.default, expandSystemVariables) ?? 'value']);
  const found = findVariable(listTexts(createBundleTarget(bundle, Object.fromEntries(usual)).target));
  if (found === undefined) return;
  throw new TenonError('mcpb/manifest', `${path}: the bundle uses ${found}, a variable that it does not declare`, {
    expected: 'variables of user_config, such as ${user_config.token}',
    hint: 'report to the author of the bundle',
  });
}

/** Returns a value that the user has not written: the typed one, the default, or a reference for a secret. */
async function askValue(
  context: CliContext,
  name: string,
  field: UserConfigField,
): Promise<UserConfigValue | undefined> {
  const usual = expandDefault(field.default, expandSystemVariables);
  if (field.sensitive) return usual ?? (field.required ? formatReference(toVariableName(name)) : undefined);
  const text = (await createInputPrompt(context)(toInput(name, field)))?.trim();
  if (text) return parseValue(name, field, text, context.cwd);
  if (usual === undefined && field.required)
    throw createMissingError(name, field, `pass --user-config ${name}=VALUE, or run this in a terminal`);
  return usual;
}

function readValue(name: string, field: UserConfigField, text: string, cwd: string): UserConfigValue {
  // `--env name` passes the variable of this name.
  if (getReference(text) !== undefined) return text;
  if (field.sensitive)
    throw createUsageError(
      `--env: "${sanitizeText(name, { max: 100 })}" is a secret`,
      `set a variable, and write --env '${name}=${formatReference(toVariableName(name))}'`,
    );
  return parseValue(name, field, text, cwd);
}
