import { dialects } from './index.js';
import type { ProtocolVersion } from './protocol-version.js';

/** Every protocol version that the library supports, newest first. */
export const protocolVersions: readonly ProtocolVersion[] = /* #__PURE__ */ dialects.map(
  dialect => dialect.protocolVersion as ProtocolVersion,
);
