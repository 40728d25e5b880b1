import { type CommandTarget, sanitizeText } from 'tenon/host';
import type { CliContext } from '../cli-context.js';
import { formatReference, getReference, toVariableName } from '../mcp-hosts/hosts/variable-text.js';
import { createUsageError } from '../usage-error.js';
import { prepareBundle } from './bundle-entry.js';
import { createBundleTarget, expandSystemVariables } from './create-bundle-command.js';
import type { UserConfigField, UserConfigValue } from './manifest.js';
import { expandDefault, parseValue } from './user-config.js';

/**
 * Unpacks a bundle for hosts that start servers by a command. Required values without a text are references to
 * variables of the user.
 *
 * @param env Values that the bundle requests, and other variables of the server.
 * @throws TenonError `cli/usage` for a secret; `mcpb/…` for an invalid bundle
 */
export async function installBundle(
  context: CliContext,
  path: string,
  env: Readonly<Record<string, string>> = {},
): Promise<CommandTarget> {
  const bundle = await prepareBundle(context, path);
  const fields = Object.entries(bundle.manifest.user_config ?? {});
  const values: Record<string, UserConfigValue> = {};
  for (const [name, field] of fields) {
    const value = readValue(name, field, env[name], context.cwd);
    if (value !== undefined) values[name] = value;
  }
  const names = Object.values(values).flatMap(value => getReference(String(value)) ?? []);
  if (names.length > 0) context.screen.note(`It gets these variables: ${names.join(', ')}`);
  const { target } = createBundleTarget(bundle, values);
  const others = Object.entries(env).filter(([name]) => fields.every(([field]) => field !== name));
  const { cwd: _, ...command } = target;
  return { ...command, env: { ...target.env, ...Object.fromEntries(others) } };
}

function readValue(
  name: string,
  field: UserConfigField,
  text: string | undefined,
  cwd: string,
): UserConfigValue | undefined {
  const reference = formatReference(toVariableName(name));
  if (text === undefined)
    return expandDefault(field.default, expandSystemVariables) ?? (field.required ? reference : undefined);
  // `--env name` passes the variable of this name.
  if (getReference(text) !== undefined) return text;
  if (field.sensitive)
    throw createUsageError(
      `--env: "${sanitizeText(name, { max: 100 })}" is a secret`,
      `set a variable, and write --env '${name}=${reference}'`,
    );
  return parseValue(name, field, text, cwd);
}
