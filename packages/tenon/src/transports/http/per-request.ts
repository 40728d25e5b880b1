import type { Loan } from '../../conversation/service.js';
import type { Dialect } from '../../dialects/dialect.js';
import type { AuthInfo } from '../../jsonrpc/channel.js';
import { INTERNAL_ERROR } from '../../jsonrpc/codes.js';
import type { Request, Response } from '../../jsonrpc/message.js';
import type { Exchange } from './exchange.js';
import { checkMirrors } from './mirrors.js';
import { refuse, refuseBusy, statusOf } from './refusal.js';
import type { Road } from './road.js';
import { eventFrame } from './sse-frame.js';
import type { EventStream } from './streams.js';

/**
 * Answers one request that brings all its context along: as JSON when the answer comes first, as a stream when a
 * notification goes ahead of it. Closing the connection gives the request up.
 */
export function answerAlone(
  road: Road,
  exchange: Exchange,
  request: Request,
  dialect: Dialect,
  auth: AuthInfo | undefined,
) {
  const mismatch = checkMirrors(exchange, request, dialect);
  if (mismatch !== undefined) return refuse(exchange, 400, mismatch, request.id);
  let stream: EventStream | undefined;
  let done = false;
  let callOff: (() => void) | undefined;
  road.traffic.enter();

  const finish = (): boolean => {
    if (done) return false;
    done = true;
    callOff?.();
    road.traffic.leave();
    return true;
  };
  const loan: Loan = {
    auth,
    ...(exchange.fleeting ? { fleeting: true } : {}),
    header: name => exchange.header(name),
    send(notification) {
      if (done || exchange.gone) return undefined;
      stream ??= road.streams.begin(exchange);
      if (stream !== undefined) return stream.write(eventFrame(JSON.stringify(notification)));
      if (finish()) refuseBusy(exchange, 'Too many streams are open', request.id);
    },
    whenGone(gone) {
      if (dialect.http.closeCancels) exchange.whenGone(gone);
    },
    whenEnding(ending) {
      if (!done) callOff = road.traffic.whenClosing(ending);
    },
  };
  const answered = (response: Response) => {
    const text = JSON.stringify(response);
    if (!finish() || exchange.gone) return;
    if (stream === undefined && 'error' in response) {
      return exchange.reply(statusOf(response.error.code), text, road.challenge(exchange, response.error));
    }
    if (stream === undefined) return exchange.reply(200, text);
    stream.write(eventFrame(text));
    stream.end();
  };
  const failed = (error: unknown) => {
    road.report(error);
    if (!finish()) return;
    if (stream !== undefined) return stream.cut();
    refuse(exchange, 500, { code: INTERNAL_ERROR, message: 'Internal error' }, request.id);
  };
  road.service.answer(request, dialect, loan).then(answered).catch(failed);
}
