import { stringifyJson } from '@tenon/base';
import { sanitizeText } from '@tenon/host';
import type { JsonRpcMessage } from 'tenon';

/** Maximum length of a printed message, in characters. `--wire` writes complete messages. */
const MAX_LINE = 1000;

/** Formats a message in one line: `→ tools/call #2 {"name":"echo"}`, `← #2 {"content":[…]}`. */
export function formatWireMessage(from: 'client' | 'server', message: JsonRpcMessage): string {
  const arrow = from === 'client' ? '→' : '←';
  const { id, method, params, result, error }: { [K in Member]?: unknown } = message;
  const body = params ?? result ?? error;
  const parts = [
    arrow,
    method,
    id === undefined ? undefined : `#${String(id)}`,
    error === undefined ? undefined : 'error',
    body === undefined ? undefined : stringifyJson(body),
  ];
  return sanitizeText(parts.filter(part => part !== undefined).join(' '), { max: MAX_LINE });
}

type Member = 'id' | 'method' | 'params' | 'result' | 'error';
