import type { HttpExchangeView } from '../api.js';
import { formatCount, formatDuration } from '../format.js';
import { MaskedText, reveal } from './masked-text.js';

type Side = 'request' | 'response';

/** The HTTP requests below a message: each with its status, its times, and the headers of both sides. */
export function HttpExchanges({
  seq,
  exchanges,
}: {
  readonly seq: number;
  readonly exchanges: readonly HttpExchangeView[];
}) {
  return (
    <>
      {exchanges.map((exchange, index) => (
        <HttpExchange key={index} seq={seq} index={index} exchange={exchange} />
      ))}
    </>
  );
}

function HttpExchange({ seq, index, exchange }: { seq: number; index: number; exchange: HttpExchangeView }) {
  const { method, url, status, requestHeaders, responseHeaders, firstByte, took } = exchange;
  return (
    <details class="http mono">
      <summary>
        {method} {url} <span class={status !== null && status < 400 ? 'state ok' : 'state error'}>{status ?? '–'}</span>{' '}
        <span class="dim">
          {firstByte === null ? 'no response' : `${formatDuration(firstByte)} to the first byte`}
          {took === null ? ', open' : `, ${formatDuration(took)} in all`}
        </span>
      </summary>
      <HeaderTable seq={seq} exchange={index} side="request" headers={requestHeaders} />
      <HeaderTable seq={seq} exchange={index} side="response" headers={responseHeaders} />
    </details>
  );
}

interface HeaderTableProps {
  readonly seq: number;
  readonly exchange: number;
  readonly side: Side;
  readonly headers: HttpExchangeView['requestHeaders'];
}

function HeaderTable({ seq, exchange, side, headers }: HeaderTableProps) {
  return (
    <dl class="headers">
      <dt class="strong">{side}</dt>
      <dd class="dim">{formatCount(headers.length, 'header')}</dd>
      {headers.map(([name, value], index) => (
        <Header key={index} name={name} value={value} reveal={() => reveal(seq, { exchange, side, index })} />
      ))}
    </dl>
  );
}

function Header({ name, value, reveal: show }: { name: string; value: string; reveal: () => Promise<unknown> }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <MaskedText value={value} reveal={show} />
      </dd>
    </>
  );
}
