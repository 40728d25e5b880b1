import { rpcError } from '../jsonrpc/error.js';
import type { JsonObject } from '../jsonrpc/message.js';
import { HEADER_MISMATCH } from '../model/codes.js';
import { decodeHeaderValue } from '../model/header-value.js';
import { isExact, type Mirror, mirroredValue } from '../model/mirror.js';
import type { Turn } from './turn.js';

/** Checks that headers say what the arguments say, where the transport has headers. Throws -32020 where they do not. */
export function checkMirrors(
  mirrors: readonly Mirror[],
  args: JsonObject | undefined,
  turn: Pick<Turn, 'header'>,
): void {
  if (mirrors.length === 0) return;
  const { header } = turn;
  if (header === undefined) return;
  for (const mirror of mirrors) {
    const value = mirroredValue(args, mirror.path);
    const raw = header(mirror.header);
    const problem =
      value === undefined ? raw !== undefined && 'is there, but its argument is not' : mismatch(value, raw);
    if (problem) throw rpcError(HEADER_MISMATCH, `Header mismatch: ${mirror.header} ${problem}`);
  }
}

function mismatch(value: unknown, raw: string | undefined): string | false {
  if (raw === undefined) return 'is missing';
  if (typeof value === 'number' && !isExact(value)) return 'mirrors a number that can not be told from its neighbours';
  const said = decodeHeaderValue(raw);
  if (said === undefined) return 'is not well encoded';
  const same = typeof value === 'number' ? said.trim() !== '' && Number(said) === value : said === String(value);
  return same ? false : 'does not say what its argument says';
}
