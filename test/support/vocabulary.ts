import type { SchemaNode } from './schema-file.js';

export type Side = 'client' | 'server';
type Definitions = Record<string, SchemaNode>;

/** The types of a schema, found by what is on the wire. */
export interface Vocabulary {
  /** By method: the request that a side may send. */
  readonly requests: Record<Side, ReadonlyMap<string, string>>;
  readonly notifications: Record<Side, ReadonlyMap<string, string>>;
  /** By error code: types of a whole error response, and types of its `error` member. */
  readonly failures: ReadonlyMap<unknown, string>;
  readonly errors: ReadonlyMap<unknown, string>;
  readonly success: string;
  readonly failure: string;
  readonly failureIdOptional: boolean;
  readonly batches: boolean;
  /** Whether results say of what type they are. */
  readonly resultTypes: boolean;
  has(name: string): boolean;
  /** The type of what answers a request. */
  resultOf(request: string): string;
  mayAskForInput(request: string): boolean;
}

export function vocabularyOf(definitions: Definitions): Vocabulary {
  const has = (name: string) => name in definitions;
  const of = (kind: 'Request' | 'Notification') => ({
    client: byMethod(definitions, `Client${kind}`, kind),
    server: byMethod(definitions, `Server${kind}`, kind),
  });
  const failure = has('JSONRPCErrorResponse') ? 'JSONRPCErrorResponse' : 'JSONRPCError';
  return {
    requests: of('Request'),
    notifications: of('Notification'),
    failures: byCode(definitions, node => node.properties?.error?.allOf?.[1]?.properties?.code),
    errors: byCode(definitions, node => node.properties?.code),
    success: has('JSONRPCResultResponse') ? 'JSONRPCResultResponse' : 'JSONRPCResponse',
    failure,
    failureIdOptional: !definitions[failure]?.required?.includes('id'),
    batches: has('JSONRPCBatchRequest'),
    resultTypes: has('ResultType'),
    has,
    resultOf: request => [request.replace(/Request$/, 'Result')].find(has) ?? 'EmptyResult',
    mayAskForInput: request => {
      const response = definitions[request.replace(/Request$/, 'ResultResponse')];
      return JSON.stringify(response ?? {}).includes('InputRequiredResult"');
    },
  };
}

/** A union of the schema is a list of references, or the one type of which it consists, written out. */
function byMethod(definitions: Definitions, union: string, kind: string): Map<string, string> {
  const node = definitions[union];
  if (node === undefined) return new Map();
  const members = node.anyOf ?? [node];
  const methods = members.map(member => methodOf(definitions[member.$ref?.split('/').pop() ?? ''] ?? member));
  const typed = Object.entries(definitions).filter(([name]) => name.endsWith(kind) && name !== union);
  return new Map(
    typed.flatMap(([name, each]) => {
      const method = methodOf(each);
      return method !== undefined && methods.includes(method) ? [[method, name] as const] : [];
    }),
  );
}

function methodOf(node: SchemaNode): string | undefined {
  const method = node.properties?.method?.const;
  return typeof method === 'string' ? method : undefined;
}

function byCode(definitions: Definitions, code: (node: SchemaNode) => SchemaNode | undefined): Map<unknown, string> {
  const entries = Object.entries(definitions).map(([name, node]) => [code(node)?.const, name] as const);
  return new Map(entries.filter(([value]) => typeof value === 'number'));
}
