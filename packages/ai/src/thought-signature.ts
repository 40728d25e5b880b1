import type { ProviderMetadata } from 'ai';

/** Key in the `_meta` of a `tool_use` block. Servers return the block with it in the next request. */
const META_KEY = 'dev.tenon/thoughtSignature';

/**
 * Keeps the signature of a use of a tool, which Gemini requires in the next request. Other metadata of the provider is dropped: it refers
 * to reasoning, which servers do not get.
 */
export function toMeta(metadata: ProviderMetadata | undefined): { [META_KEY]: Record<string, string> } | undefined {
  const signatures = Object.entries(metadata ?? {}).flatMap(([provider, { thoughtSignature }]) =>
    typeof thoughtSignature === 'string' ? [[provider, thoughtSignature] as const] : [],
  );
  return signatures.length > 0 ? { [META_KEY]: Object.fromEntries(signatures) } : undefined;
}

/** Reads the signature from a `_meta` that a server sent. A server can set no other option of the provider. */
export function toProviderOptions(meta: { [key: string]: unknown } | undefined): ProviderMetadata | undefined {
  const signatures = meta?.[META_KEY];
  if (typeof signatures !== 'object' || signatures === null) return undefined;
  const options = Object.entries(signatures).flatMap(([provider, thoughtSignature]: [string, unknown]) =>
    typeof thoughtSignature === 'string' ? [[provider, { thoughtSignature }] as const] : [],
  );
  return Object.fromEntries(options);
}
