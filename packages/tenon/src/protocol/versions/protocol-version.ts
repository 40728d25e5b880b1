/**
 * The protocol versions that the library supports.
 * @see https://modelcontextprotocol.io/specification/versioning
 */
export type ProtocolVersion = '2024-11-05' | '2025-03-26' | '2025-06-18' | '2025-11-25' | '2026-07-28';

/**
 * A protocol version as any string, because it may come from a configuration. Editors suggest the supported versions.
 * Other versions are refused.
 */
export type SuggestedProtocolVersion = ProtocolVersion | (string & Record<never, never>);
