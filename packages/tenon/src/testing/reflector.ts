import type { Conversation, Service } from '../conversation/service.js';
import type { Dialect } from '../dialects/dialect.js';
import { dialectOf, newest } from '../dialects/index.js';
import type { Channel } from '../jsonrpc/channel.js';
import { INVALID_REQUEST } from '../jsonrpc/codes.js';
import { TenonError } from '../jsonrpc/error.js';
import {
  failure,
  isObject,
  type JsonObject,
  kindOf,
  type Message,
  notification,
  type Request,
  type Response,
  request,
  success,
} from '../jsonrpc/message.js';

/**
 * The other end that `channelCases` talks to: serve it on the road under test, in whatever process that road leads to. It
 * answers `reflect/echo` with the params, and a few more requests that make it speak by itself.
 */
export const reflector: Service = {
  async connect(channel: Channel): Promise<Conversation> {
    const reflection = new Reflection(channel);
    await channel.open({
      message: value => reflection.message(value),
      unreadable: () => {},
      lost: () => {},
      closed: () => {},
    });
    return reflection;
  },
  manner: ({ method }) => ({ opening: method === 'initialize' ? 'handshake' : 'opened' }),
  answer: async ({ id }) => failure(id, { code: INVALID_REQUEST, message: 'the reflector has sessions only' }),
};

class Reflection implements Conversation {
  readonly #channel: Channel;
  readonly #notes: unknown[] = [];
  readonly #questions = new Map<unknown, (response: Response) => void>();
  dialect: Dialect | undefined;
  inFlight = 0;

  constructor(channel: Channel) {
    this.#channel = channel;
  }

  end(): void {}

  message(value: unknown): void {
    switch (kindOf(value)) {
      case 'request':
        return void this.#answer(value as Request);
      case 'notification':
        this.#notes.push((value as { params?: JsonObject }).params?.note);
        return;
      case 'success':
      case 'failure':
        this.#questions.get((value as Response).id)?.(value as Response);
    }
  }

  async #answer(incoming: Request): Promise<void> {
    this.inFlight += 1;
    try {
      await this.#send(success(incoming.id, await this.#result(incoming)), incoming);
    } catch (error) {
      await this.#send(
        failure(incoming.id, { code: 1, message: TenonError.from(error).message, data: { a: [1] } }),
        incoming,
      );
    }
    this.inFlight -= 1;
    if (incoming.method === 'reflect/close') await this.#channel.close();
  }

  async #result(incoming: Request): Promise<JsonObject> {
    const { method, params = {} } = incoming;
    switch (method) {
      case 'initialize':
        this.dialect = dialectOf(String(params.protocolVersion)) ?? newest('handshake');
        return {
          protocolVersion: this.dialect.revision,
          capabilities: {},
          serverInfo: { name: 'reflector', version: '1' },
        };
      case 'reflect/fail':
        throw new Error('as asked');
      case 'reflect/noted':
        return { notes: [...this.#notes] };
      case 'reflect/say':
        for (let n = 0; n < Number(params.count); n++) await this.#send(notification('reflect/said', { n }), incoming);
        return {};
      case 'reflect/ask':
        return this.#ask(incoming, params);
      default:
        return params;
    }
  }

  /** Asks in return, and answers with the answer. */
  #ask(incoming: Request, params: JsonObject): Promise<JsonObject> {
    const id = `question-${this.#questions.size}`;
    return new Promise(resolve => {
      this.#questions.set(id, response =>
        resolve('result' in response && isObject(response.result) ? response.result : {}),
      );
      void this.#send(request(id, 'reflect/question', params), incoming);
    });
  }

  async #send(message: Message, { id }: Request): Promise<void> {
    try {
      await this.#channel.send(message, { relatedTo: id });
    } catch {
      // Who asked has gone.
    }
  }
}
