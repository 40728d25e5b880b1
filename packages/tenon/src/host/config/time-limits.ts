import type { Spot } from './document.js';
import { nameOf } from './places.js';
import type { ServerEntry } from './server-entry.js';
import { type Draft, wrongShape } from './values.js';

/** A timer holds no more: nearly 25 days, in milliseconds. */
const MAX_TIME = 2 ** 31 - 1;
/** Below it `timeout` can not be meant as milliseconds: Claude Code does not heed such a value, and 60 is a usual one. */
const LEAST_MILLISECONDS = 1000;
/** The longest that Cline lets its users choose, in seconds. */
const MOST_SECONDS = 3600;

type Limits = Pick<ServerEntry, 'startTimeout' | 'idleTimeout' | 'totalTimeout'>;

/**
 * The limits of one server. Our own keys are milliseconds. `timeout` is the time for one call in all, and no call is
 * given up for its silence before that: so Claude Code, Gemini CLI and Zed have it, in milliseconds, and Cline, Roo
 * Code and Kilo Code, in seconds.
 *
 * https://code.claude.com/docs/en/mcp, https://geminicli.com/docs/tools/mcp-server (`timeout`: milliseconds),
 * https://docs.cline.bot/mcp/configuring-mcp-servers (30 seconds to 1 hour; `timeout`: seconds)
 */
export function readLimits(draft: Draft): Limits {
  const limits: { -readonly [name in keyof Limits]: Limits[name] } = {};
  for (const name of ['startTimeout', 'idleTimeout', 'totalTimeout'] as const) {
    const time = timeAt(draft, draft.members.get(name), 1);
    if (time !== undefined) limits[name] = time;
  }
  const call = draft.members.get('timeout');
  const time = timeAt(draft, call, call?.kind === 'number' ? unitOf(draft, call) : 1);
  return time === undefined ? limits : { idleTimeout: time, totalTimeout: time, ...limits };
}

function timeAt(draft: Draft, spot: Spot | undefined, unit: number): number | undefined {
  if (!spot) return undefined;
  const time = typeof spot.value === 'number' ? Math.round(spot.value * unit) : Number.NaN;
  return time > 0 && time <= MAX_TIME ? time : wrongShape(draft, spot, `a number from 1 to ${MAX_TIME}`);
}

/** How many milliseconds one of `timeout` is. */
function unitOf(draft: Draft, spot: Spot): number {
  // Cline and its likes keep their servers in files of these names.
  if (/^(cline_)?mcp_settings\.json$/.test(nameOf(draft.file))) return 1000;
  const value = spot.value as number;
  const likeCline = ['autoApprove', 'alwaysAllow', 'transportType'].some(key => draft.members.has(key));
  if (value >= LEAST_MILLISECONDS && !(likeCline && value <= MOST_SECONDS)) return 1;
  draft.warn('config/time-unit', spot, 'this is taken as seconds, as Cline has it', {
    next: 'write `totalTimeout`, which is milliseconds',
  });
  return 1000;
}
