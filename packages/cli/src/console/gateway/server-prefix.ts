/** Separator between the name of a server and that of its tool at a gateway. */
const SEPARATOR = '__';

/** Adds the name of a server to the name that a tool has there, as a gateway with prefixes does. */
export function addServerPrefix(server: string, tool: string): string {
  return `${server}${SEPARATOR}${tool}`;
}

/** Returns the name that a tool has at its server. `undefined` if the name has no prefix of the server. */
export function removeServerPrefix(server: string, tool: string): string | undefined {
  const prefix = addServerPrefix(server, '');
  return tool.startsWith(prefix) ? tool.slice(prefix.length) : undefined;
}
