import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import type { CreateMessageParams } from '../../model/asking.js';
import type { Asked, PutQuestions } from '../guard.js';
import { OF_THIS_HOP } from '../relay/hop.js';
import { screenInstructions } from '../screening/definitions.js';
import type { Line } from '../upstream/line.js';
import { masksDefinitions } from './delivery.js';
import type { GuardOptions } from './options.js';

/** The key of `_meta` under which a question says which server asks, by its name in the host. */
export const ASKING_SERVER = 'tenon/server';

/** How the questions of servers are put to callers. */
export class Questions {
  readonly #options: GuardOptions;
  /** Whether callers know one server only: then there is no need to say which asks. */
  readonly #alone: boolean;

  constructor(options: GuardOptions, alone: boolean) {
    this.#options = options;
    this.#alone = alone;
  }

  of({ server, audience, roots }: Line): PutQuestions {
    const { broker, brokerFor = 'lacking' } = this.#options;
    const brokers = broker !== undefined && (brokerFor === 'all' || !audience.asks.sample);
    return {
      isOurs: method =>
        (method === 'sampling/createMessage' && brokers) || (method === 'roots/list' && roots !== undefined),
      async answer(method, params, signal = never()) {
        if (method === 'roots/list') return { roots: [...(roots ?? [])] };
        const asked = { server, signal, ...audience.identity };
        return (await broker?.(params as unknown as CreateMessageParams, asked)) as unknown as JsonObject;
      },
      put: (method, params, to) => this.#put(server, method, params, to),
    };
  }

  /** Says who asks, in words where there are several who might. What is hidden in the message is taken out. */
  #put(server: string, method: string, params: JsonObject, { bare, marked }: Asked): JsonObject {
    const { _meta, ...rest } = params;
    const own = isObject(_meta) && !bare ? Object.entries(_meta).filter(([key]) => !OF_THIS_HOP.has(key)) : [];
    const meta = { ...Object.fromEntries(own), ...(marked ? { [ASKING_SERVER]: server } : {}) };
    const put = Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta };
    if (method !== 'elicitation/create' || typeof params.message !== 'string') return put;
    const message = this.#safe(server, params.message);
    return { ...put, message: this.#alone ? message : `${server}: ${message}` };
  }

  #safe(server: string, message: string): string {
    const { screen = {}, onFindings } = this.#options;
    if (screen === false) return message;
    const { value, findings } = screenInstructions(message, {
      ...screen.definitions,
      mask: masksDefinitions(this.#options),
      where: 'message',
    });
    if (findings.length > 0) onFindings?.({ server, kind: 'question', name: 'elicitation/create', findings });
    return value;
  }
}

function never(): AbortSignal {
  return new AbortController().signal;
}
