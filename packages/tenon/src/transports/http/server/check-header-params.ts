import { type JsonObject, rpcError } from '@tenon/base';
import { HEADER_MISMATCH } from '../../../protocol/error-codes.js';
import { getHeaderArgument, type HeaderParam, isExactNumber } from '../../../protocol/header-params.js';
import { decodeHeaderValue } from '../../../protocol/header-value.js';
import type { Exchange } from './exchange.js';

/** Checks that the headers of a request match its arguments. Throws -32020 if they differ. */
export function checkHeaderParams(
  headerParams: readonly HeaderParam[],
  args: JsonObject | undefined,
  exchange: Pick<Exchange, 'header'>,
): void {
  for (const param of headerParams) {
    const value = getHeaderArgument(args, param.path);
    const raw = exchange.header(param.header);
    const issue =
      value === undefined ? raw !== undefined && 'is present, but its argument is missing' : findMismatch(value, raw);
    if (issue) throw rpcError(HEADER_MISMATCH, `Header mismatch: ${param.header} ${issue}`);
  }
}

/** The grammar of a number in JSON. `Number` also reads `0x2a`, `+42` and a text with spaces. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

function findMismatch(value: unknown, raw: string | undefined): string | false {
  if (raw === undefined) return 'is missing';
  if (typeof value === 'number' && !isExactNumber(value)) return 'mirrors a number that is not exact';
  const decoded = decodeHeaderValue(raw);
  if (decoded === undefined) return 'is not encoded correctly';
  const isEqual =
    typeof value === 'number' ? JSON_NUMBER.test(decoded) && Number(decoded) === value : decoded === String(value);
  return isEqual ? false : 'does not match its argument';
}
