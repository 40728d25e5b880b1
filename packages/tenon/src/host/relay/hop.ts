import { CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, PROTOCOL_VERSION, RELATED_TASK } from '../../model/meta.js';

/** The keys of `_meta` that are good between two neighbours only, and are not passed on. */
export const OF_THIS_HOP: ReadonlySet<string> = new Set([
  'progressToken',
  PROTOCOL_VERSION,
  CLIENT_INFO,
  CLIENT_CAPABILITIES,
  LOG_LEVEL,
  RELATED_TASK,
]);

/** The extension by which the client of a host itself says that it wants to know which of the servers asks. */
export const KNOWS_SERVERS = 'dev.tenon/servers';
