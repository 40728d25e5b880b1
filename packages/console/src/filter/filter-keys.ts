/** Keys of the filter language, in the order in which they are offered. */

/** Key whose value is a part of a text. */
export type TextKey = 'method' | 'name' | 'version';
/** Key whose value is a whole text. */
export type ExactKey = 'server' | 'from' | 'id';
/** Key whose value is compared as a number. */
export type NumberKey = 'took' | 'size' | 'call';
export type FilterKey = TextKey | ExactKey | NumberKey | 'is' | 'text';

interface KeyDescription {
  readonly kind: 'part' | 'exact' | 'state' | 'duration' | 'size' | 'number';
  readonly description: string;
  /** Values that are offered, besides those of the messages. */
  readonly examples: readonly string[];
}

/** States of messages. `error`: an error response, or a result with `isError`. `app`: between an app and the console. */
export const MESSAGE_STATES = ['request', 'result', 'error', 'notification', 'open', 'app'] as const;
/** States of calls. */
export const CALL_STATES = ['running', 'waiting', 'done', 'failed', 'cancelled', 'error'] as const;

export const FILTER_KEYS: Readonly<Record<FilterKey, KeyDescription>> = {
  method: { kind: 'part', description: 'part of the method', examples: [] },
  name: { kind: 'part', description: 'part of the name of a tool, prompt or resource', examples: [] },
  server: { kind: 'exact', description: 'name of the server', examples: [] },
  is: { kind: 'state', description: 'kind or state', examples: [] },
  took: { kind: 'duration', description: 'duration', examples: ['>100ms', '>1s', '<10ms', '100ms..1s'] },
  version: { kind: 'part', description: 'protocol version', examples: [] },
  text: { kind: 'part', description: 'text in the message, in any case', examples: [] },
  from: { kind: 'exact', description: 'sender', examples: ['client', 'server'] },
  size: { kind: 'size', description: 'characters', examples: ['>10k', '>1M'] },
  call: { kind: 'number', description: 'number of the call', examples: [] },
  id: { kind: 'exact', description: 'JSON-RPC id', examples: [] },
};

export const isFilterKey = (name: string): name is FilterKey => Object.hasOwn(FILTER_KEYS, name);
export const isNumberKey = (key: FilterKey): key is NumberKey => key === 'took' || key === 'size' || key === 'call';
