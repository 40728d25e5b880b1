import { CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, PROTOCOL_VERSION, RELATED_TASK } from 'tenon/host-internals';

/** Keys of `_meta` that apply to one connection only, and are not forwarded. */
export const HOP_BY_HOP_META: ReadonlySet<string> = new Set([
  'progressToken',
  PROTOCOL_VERSION,
  CLIENT_INFO,
  CLIENT_CAPABILITIES,
  LOG_LEVEL,
  RELATED_TASK,
]);

/** Extension with which the client of a host requests the name of the server in each input request. */
export const SERVER_NAMES_EXTENSION = 'dev.tenon/servers';
