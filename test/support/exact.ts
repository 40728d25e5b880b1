import type { SchemaNode } from './schema-file.js';

/** Members that hold JSON Schemas, form data or settings of somebody else: nothing in them is foreign. */
const open = new Set(['inputSchema', 'outputSchema', 'experimental', 'extensions', 'arguments', 'metadata', '_meta']);

/** In the earliest files these members are given by the JSON-RPC types alone. */
const envelope = { jsonrpc: {}, id: {} };

/** Members that the official extensions add to types of the protocol. */
const extended: Readonly<Record<string, Record<string, SchemaNode>>> = {
  SubscriptionFilter: { taskIds: { type: 'array', items: { type: 'string' } } },
};

/**
 * The types of MCP are open: a member that a protocol version does not know is valid. It tells of a leak all the same when we
 * send it, so here each object that lists its members is closed to others.
 */
export function seal(definitions: Record<string, SchemaNode>): Record<string, SchemaNode> {
  const sealed = structuredClone(definitions);
  for (const [name, node] of Object.entries(sealed)) {
    join(node, definitions);
    if (node.properties) Object.assign(node.properties, extended[name]);
    if (/^(Request|Notification|Result|EmptyResult|.*MetaObject|JSONRPC.*|.*Error)$/.test(name)) continue;
    close(node);
    if (!node.properties) continue;
    if (/(Request|Notification)$/.test(name)) node.properties = { ...envelope, ...node.properties };
    if (/Result$/.test(name)) node.properties = { _meta: {}, ...node.properties };
    const { params } = node.properties;
    if (params?.properties) params.properties = { _meta: {}, ...params.properties };
  }
  return sealed;
}

/** A type that is several others at once becomes one that lists the members of all: closed, none would let the others' in. */
function join(node: SchemaNode, definitions: Record<string, SchemaNode>): void {
  const parts = (node.allOf ?? []).map(({ $ref }) => definitions[$ref?.split('/').pop() ?? '']);
  if (parts.length === 0 || !parts.every(part => part?.properties !== undefined)) return;
  delete node.allOf;
  node.type = 'object';
  node.properties = Object.assign({}, node.properties, ...parts.map(part => structuredClone(part?.properties)));
  node.required = [...(node.required ?? []), ...parts.flatMap(part => part?.required ?? [])];
}

function close(node: SchemaNode): void {
  if (node.properties && node.additionalProperties === undefined) node.additionalProperties = false;
  for (const [name, member] of Object.entries(node.properties ?? {})) if (!open.has(name)) close(member);
  for (const each of node.anyOf ?? []) close(each);
  if (typeof node.items === 'object' && node.items !== null) close(node.items as SchemaNode);
}
