/** The protocol versions that Tenon speaks. https://modelcontextprotocol.io/specification/versioning */
export type ProtocolVersion = '2024-11-05' | '2025-03-26' | '2025-06-18' | '2025-11-25' | '2026-07-28';

/** Any string, so that versions can come from a configuration. Editors suggest the ones that Tenon speaks; others are refused. */
export type SuggestedProtocolVersion = ProtocolVersion | (string & Record<never, never>);
