/** Values of options that take a list of names, separated by commas, and of arguments that take one name. */

type ListNames = () => Promise<readonly string[]>;

const listHosts: ListNames = async () => (await import('../mcp-hosts/hosts/mcp-hosts.js')).mcpHosts.map(({ id }) => id);
const listChecks: ListNames = async () => (await import('../doctor/checks/index.js')).checks.map(({ id }) => id);

/** Lists of names, by the command and the option. */
const namedOptions: Readonly<Record<string, ListNames>> = {
  'add --host': listHosts,
  'remove --host': listHosts,
  'sync --host': listHosts,
  'doctor --only': listChecks,
  'doctor --skip': listChecks,
};

/**
 * Lists the values of an option whose choices the command line does not know. The names before the last comma stay.
 *
 * @param option Long form of the option.
 */
export async function listOptionValues(command: string, option: string, current: string): Promise<string[]> {
  const key = `${command} ${option}`;
  const names = Object.hasOwn(namedOptions, key) ? await namedOptions[key]?.() : undefined;
  const before = current.slice(0, current.lastIndexOf(',') + 1);
  const used = before.split(',');
  return (names ?? []).filter(name => !used.includes(name)).map(name => before + name);
}

/** Lists the values of the first argument of a command that takes no server. */
export async function listArgumentValues(command: string): Promise<readonly string[]> {
  return command === 'schema' ? (await import('../commands/schema.js')).listSchemaNames() : [];
}
