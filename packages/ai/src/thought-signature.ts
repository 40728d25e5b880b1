import type { ProviderMetadata } from 'ai';

/** Key in the `_meta` of a `tool_use` block. Servers return the block with this key in the next request. */
const META_KEY = 'dev.tenon/thoughtSignature';

/**
 * Returns `_meta` with the thought signature of a tool use, which Gemini requires in the next request. Drops other
 * provider metadata, because it refers to reasoning that servers do not receive.
 */
export function toMeta(metadata: ProviderMetadata | undefined): { [META_KEY]: Record<string, string> } | undefined {
  const signatures = Object.entries(metadata ?? {}).flatMap(([provider, { thoughtSignature }]) =>
    typeof thoughtSignature === 'string' ? [[provider, thoughtSignature] as const] : [],
  );
  return signatures.length > 0 ? { [META_KEY]: Object.fromEntries(signatures) } : undefined;
}

/**
 * Reads the thought signature from a `_meta` of a server. Ignores all other members, so that a server cannot set
 * provider options.
 */
export function toProviderOptions(meta: { [key: string]: unknown } | undefined): ProviderMetadata | undefined {
  const signatures = meta?.[META_KEY];
  if (typeof signatures !== 'object' || signatures === null) return undefined;
  const options = Object.entries(signatures).flatMap(([provider, thoughtSignature]: [string, unknown]) =>
    typeof thoughtSignature === 'string' ? [[provider, { thoughtSignature }] as const] : [],
  );
  return Object.fromEntries(options);
}
