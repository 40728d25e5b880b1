import type { ReportFinding } from '../config-finding.js';
import type { JsonNode } from '../json-node.js';

const MAX_VIRTUAL_SERVERS = 100;
const MAX_ITEMS = 1000;
const NAME = /^[\w-]{1,64}$/;

/**
 * Reads selections of servers and entries by name: `virtualServers: { docs: ["notes", "search/find_*"] }`. An invalid
 * selection is reported as a finding about the whole file, because a part of it could offer more than intended.
 */
export function readVirtualServers(
  root: JsonNode,
  report: ReportFinding,
): Readonly<Record<string, readonly string[]>> | undefined {
  const node = root.members.get('virtualServers');
  if (node === undefined) return undefined;
  const fail = (at: JsonNode, expected: string) =>
    void report('error', 'config/shape', at, 'invalid value', { expected });
  if (root.repeated.some(({ path }) => path[0] === 'virtualServers') || node.repeated.length > 0)
    return void report('error', 'config/duplicate-key', node, 'duplicate key', { hint: 'remove one of them' });
  if (node.kind !== 'object' || node.members.size > MAX_VIRTUAL_SERVERS)
    return fail(node, `an object of at most ${MAX_VIRTUAL_SERVERS} lists by name`);
  const read: [string, readonly string[]][] = [];
  for (const [name, list] of node.members) {
    const items = list.items.map(({ value }) => value).filter(value => typeof value === 'string' && value !== '');
    if (!NAME.test(name)) return fail(list, 'a name of letters, digits, `_` and `-`');
    if (list.kind !== 'array' || items.length === 0 || items.length < list.items.length || items.length > MAX_ITEMS)
      return fail(list, 'a list of `server` and `server/name`');
    read.push([name, items as string[]]);
  }
  return Object.fromEntries(read);
}
