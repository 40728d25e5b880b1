import { MAX_TIMER_DELAY } from '@tenon/base';
import { type EntryParser, reportWrongKind } from './entry-parser.js';
import type { JsonNode } from './json-node.js';
import { getBaseName } from './paths.js';
import type { ServerEntry } from './server-entry.js';

/**
 * Minimum `timeout` that is taken as milliseconds. Claude Code ignores smaller values, and 60 is common as a number of
 * seconds.
 */
const MIN_MILLISECONDS = 1000;
/** Maximum `timeout` in the settings of Cline, in seconds. */
const MAX_SECONDS = 3600;

type EntryTimeouts = Pick<ServerEntry, 'startTimeout' | 'idleTimeout' | 'totalTimeout'>;

/**
 * Reads the timeouts of one server. The library's own keys are in milliseconds.
 *
 * `timeout` sets both the total and the idle timeout of a call, as other hosts do. Claude Code, Gemini CLI and Zed use
 * milliseconds; Cline, Roo Code, Kilo Code, Goose and Crush use seconds. It does not limit the start, which `startTimeout` does.
 *
 * @see https://code.claude.com/docs/en/mcp
 * @see https://geminicli.com/docs/tools/mcp-server
 * @see https://docs.cline.bot/mcp/configuring-mcp-servers
 */
export function readTimeouts(parser: EntryParser): EntryTimeouts {
  const limits: { -readonly [name in keyof EntryTimeouts]: EntryTimeouts[name] } = {};
  for (const name of ['startTimeout', 'idleTimeout', 'totalTimeout'] as const) {
    const time = readTime(parser, parser.members.get(name), 1);
    if (time !== undefined) limits[name] = time;
  }
  const call = parser.members.get('timeout');
  const time = readTime(parser, call, call?.kind === 'number' ? getUnit(parser, call) : 1);
  return time === undefined ? limits : { idleTimeout: time, totalTimeout: time, ...limits };
}

function readTime(parser: EntryParser, spot: JsonNode | undefined, unit: number): number | undefined {
  if (!spot) return undefined;
  const time = typeof spot.value === 'number' ? Math.round(spot.value * unit) : Number.NaN;
  if (time > 0 && time <= MAX_TIMER_DELAY) return time;
  const expected = `a number from 1 to ${MAX_TIMER_DELAY}`;
  if (typeof spot.value !== 'number') return reportWrongKind(parser, spot, expected);
  return parser.reportError('config/shape', spot, 'invalid value', { expected, received: String(spot.value) });
}

/** Returns the unit of `timeout`, in milliseconds. */
function getUnit(parser: EntryParser, spot: JsonNode): number {
  // Cline and related hosts use these file names.
  if (/^(cline_)?mcp_settings\.json$/.test(getBaseName(parser.file))) return 1000;
  if (parser.form === 'goose' || parser.form === 'crush') return 1000;
  const value = spot.value as number;
  const likeCline = ['autoApprove', 'alwaysAllow', 'transportType'].some(key => parser.members.has(key));
  if (!(value > 0) || (value >= MIN_MILLISECONDS && !(likeCline && value <= MAX_SECONDS))) return 1;
  parser.reportWarning('config/time-unit', spot, '`timeout` is read as seconds, as in Cline', {
    hint: 'use `totalTimeout` in milliseconds',
  });
  return 1000;
}
