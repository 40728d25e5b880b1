import { isObject, type JsonObject, type MaybePromise, takeBeginning, thenMaybe } from '@tenon/base';
import { toParams } from 'tenon/host-internals';
import { selectForwardedMeta } from 'tenon/proxy';
import type { InputRequestHandler, InputRequestRecipient } from '../../connections/connection-options.js';
import type { UpstreamConnection } from '../../connections/upstream-connection.js';
import type { HostGuardOptions } from './guard-options.js';
import type { TextGuard } from './text-guard.js';

/** Key in `_meta` of an input request: the name of the requesting server in the host. */
export const ASKING_SERVER = 'dev.tenon/server';

/** Maximum length of the message of an elicitation, in characters. The rest is cut, because a person reads it. */
const MAX_MESSAGE = 20_000;

/** Forwards input requests of servers to callers. */
export class InputRequestGuard {
  readonly #options: HostGuardOptions;
  readonly #texts: Pick<TextGuard, 'screenInputRequest'>;
  /** Tells if the host has only one server, so that input requests need not name it. */
  readonly #hasOneServer: () => boolean;

  constructor(options: HostGuardOptions, texts: Pick<TextGuard, 'screenInputRequest'>, hasOneServer: () => boolean) {
    this.#options = options;
    this.#texts = texts;
    this.#hasOneServer = hasOneServer;
  }

  createHandler({ server, scope, roots }: UpstreamConnection): InputRequestHandler {
    const { broker, sampling = 'fallback' } = this.#options;
    const brokers = broker !== undefined && (sampling === 'all' || !scope.input.sample);
    return {
      isHandledByHost: method =>
        (method === 'sampling/createMessage' && brokers) || (method === 'roots/list' && roots !== undefined),
      handle: async (method, params, signal = createOpenSignal()) => {
        if (method === 'roots/list') return { roots: [...(roots ?? [])] };
        const origin = { server, signal, ...scope.identity };
        const screened = await this.#texts.screenInputRequest(server, method, params);
        return { ...(await broker?.(toParams('sampling/createMessage', screened), origin)) };
      },
      prepareInputRequest: (method, params, to) => this.#prepareInputRequest(server, method, params, to),
    };
  }

  /** Screens the texts. Adds the name of the server to the message if there are several servers. */
  #prepareInputRequest(
    server: string,
    method: string,
    params: JsonObject,
    { omitMeta, includeServer }: InputRequestRecipient,
  ): MaybePromise<JsonObject> {
    const { _meta, ...rest } = params;
    const own = isObject(_meta) && !omitMeta ? selectForwardedMeta(_meta) : {};
    const meta = { ...own, ...(includeServer ? { [ASKING_SERVER]: server } : {}) };
    const { message } = rest;
    const isLong = typeof message === 'string' && message.length > MAX_MESSAGE;
    const shown = isLong ? { ...rest, message: `${takeBeginning(message, MAX_MESSAGE)}…` } : rest;
    return thenMaybe(this.#texts.screenInputRequest(server, method, shown), screened => ({
      ...screened,
      ...(typeof screened.message === 'string' && !this.#hasOneServer()
        ? { message: `${server}: ${screened.message}` }
        : {}),
      ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
    }));
  }
}

function createOpenSignal(): AbortSignal {
  return new AbortController().signal;
}
