import type { Whom } from '../../server/front.js';
import type { Audience } from '../audience.js';
import type { Hub } from '../hub.js';
import type { Line } from '../upstream/line.js';
import { withinTime } from '../within-time.js';
import { KNOWS_SERVERS } from './hop.js';

/** How long a handshake waits for what several servers say, in milliseconds. */
const PATIENCE = 1000;

/**
 * How the servers are to be used, as far as that is known: a handshake does not wait for all of them to start. One
 * server alone is waited for.
 */
export async function instructions(hub: Hub, whom: Whom): Promise<string | undefined> {
  const audience = hub.audience(whom);
  const { servers } = hub.board;
  const [only] = servers;
  const isOwn = whom.caller.capabilities.extensions?.[KNOWS_SERVERS] !== undefined;
  if (servers.length === 1 && only !== undefined && !isOwn) return waitedFor(hub, only, audience);
  const known = [...hub.board.upstreams].map(async ([server, upstream]) => {
    // Instructions that a server gave another user or OAuth client are not shared.
    const line = upstream.openLine(audience.identity);
    // What is not known soon is left out: a slow server holds up no handshake.
    const text = await withinTime(hub.board.clock, PATIENCE, toldOn(hub, line));
    return text === undefined ? [] : [`## ${server}\n\n${text}`];
  });
  const texts = (await Promise.all(known)).flat();
  return texts.length === 0 ? undefined : texts.join('\n\n');
}

/** A server that is not there has its absence said by the lists. */
async function waitedFor(hub: Hub, server: string, audience: Audience): Promise<string | undefined> {
  try {
    const line = hub.board.line(server, audience);
    if (line.about === undefined) await line.client();
    return await toldOn(hub, line);
  } catch {
    return undefined;
  }
}

async function toldOn(hub: Hub, line: Line | undefined): Promise<string | undefined> {
  const text = line?.about?.instructions;
  if (line === undefined || text === undefined) return undefined;
  return hub.guard.instructions(line, text).catch(() => undefined);
}
