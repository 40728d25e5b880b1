import type { JsonObject } from '../../jsonrpc/message.js';
import type { Tool } from '../../model/content.js';
import type { Proposal } from '../policy/proposal.js';
import type { Line } from '../upstream/line.js';

/** What callers are about to do, as the rules judge it. */

export function toolProposal(
  { server, audience, trusted }: Line,
  { name, annotations }: Tool,
  args: JsonObject,
): Proposal {
  const said = annotations ? { annotations } : {};
  return { kind: 'tool', server, name, arguments: args, trusted, ...audience.identity, ...said };
}

export function promptProposal({ server, audience, trusted }: Line, name: string, args: JsonObject): Proposal {
  return { kind: 'prompt', server, name, arguments: args, trusted, ...audience.identity };
}

export function resourceProposal({ server, audience, trusted }: Line, uri: string): Proposal {
  return { kind: 'resource', server, name: uri, arguments: {}, trusted, ...audience.identity };
}
