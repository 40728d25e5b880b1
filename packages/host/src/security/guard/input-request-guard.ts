import { isObject, type JsonObject } from '@tenon/base';
import { toParams } from 'tenon/host-internals';
import { selectForwardedMeta } from 'tenon/proxy';
import type { InputRequestHandler, InputRequestRecipient } from '../../connections/connection-options.js';
import type { UpstreamConnection } from '../../connections/upstream-connection.js';
import { screenInstructions } from '../screening/screen-definitions.js';
import type { HostGuardOptions } from './guard-options.js';
import { getDefinitionScreening } from './result-guard.js';

/** Key in `_meta` of an input request: the name of the requesting server in the host. */
export const ASKING_SERVER = 'dev.tenon/server';

/** Maximum length of the message of an elicitation, in characters. The rest is cut, because a person reads it. */
const MAX_MESSAGE = 20_000;

/** Forwards input requests of servers to callers. */
export class InputRequestGuard {
  readonly #options: HostGuardOptions;
  /** Tells if the host has only one server, so that input requests need not name it. */
  readonly #hasOneServer: () => boolean;

  constructor(options: HostGuardOptions, hasOneServer: () => boolean) {
    this.#options = options;
    this.#hasOneServer = hasOneServer;
  }

  createHandler({ server, scope, roots }: UpstreamConnection): InputRequestHandler {
    const { broker, sampling = 'fallback' } = this.#options;
    const brokers = broker !== undefined && (sampling === 'all' || !scope.input.sample);
    return {
      isHandledByHost: method =>
        (method === 'sampling/createMessage' && brokers) || (method === 'roots/list' && roots !== undefined),
      async handle(method, params, signal = createOpenSignal()) {
        if (method === 'roots/list') return { roots: [...(roots ?? [])] };
        const origin = { server, signal, ...scope.identity };
        return { ...(await broker?.(toParams('sampling/createMessage', params), origin)) };
      },
      prepareInputRequest: (method, params, to) => this.#prepareInputRequest(server, method, params, to),
    };
  }

  /**
   * Adds the name of the server to the message if there are several servers. Removes invisible characters from the
   * message.
   */
  #prepareInputRequest(
    server: string,
    method: string,
    params: JsonObject,
    { omitMeta, includeServer }: InputRequestRecipient,
  ): JsonObject {
    const { _meta, ...rest } = params;
    const own = isObject(_meta) && !omitMeta ? selectForwardedMeta(_meta) : {};
    const meta = { ...own, ...(includeServer ? { [ASKING_SERVER]: server } : {}) };
    const put = Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta };
    if (method !== 'elicitation/create' || typeof params.message !== 'string') return put;
    const shown = params.message.length > MAX_MESSAGE ? `${params.message.slice(0, MAX_MESSAGE)}…` : params.message;
    const message = this.#screenMessage(server, shown);
    return { ...put, message: this.#hasOneServer() ? message : `${server}: ${message}` };
  }

  #screenMessage(server: string, message: string): string {
    const screening = getDefinitionScreening(this.#options);
    if (screening === undefined) return message;
    const { value, findings } = screenInstructions(message, { ...screening, where: 'message' });
    if (findings.length > 0)
      this.#options.onScreeningReport?.({ server, kind: 'elicitation', name: 'elicitation/create', findings });
    return value;
  }
}

function createOpenSignal(): AbortSignal {
  return new AbortController().signal;
}
