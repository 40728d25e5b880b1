import { type Clock, isObject, systemClock } from '@tenon/base';
import { writeJson } from '@tenon/base/writers';
import type { InputAction, InputRequestView, InputResponse, Json } from '@tenon/console/api';
import { TenonError } from 'tenon';
import type { ChangeFeed } from './change-feed.js';
import { describeLongSchema, MAX_SCHEMA } from './cut-listing.js';
import { dropOldest } from './drop-oldest.js';
import { readJsonPart, sliceText } from './json-part.js';

/** Maximum time for the input response to a server, in milliseconds. */
export const INPUT_TIMEOUT = 30 * 60_000;

/** Input to request from the user of the page. */
export interface UserInputRequest {
  readonly server: string;
  readonly call?: number | undefined;
  readonly kind: InputRequestView['kind'];
  readonly message: string;
  readonly details?: string | undefined;
  readonly schema?: Json | undefined;
  readonly url?: string | undefined;
  readonly params?: Json | undefined;
  /** Withdraws the request. */
  readonly signal?: AbortSignal | undefined;
  /** Time after which the request is withdrawn, in milliseconds. Default: never. */
  readonly timeout?: number | undefined;
}

interface InboxEntry {
  readonly view: InputRequestView;
  readonly resolve: (response: InputResponse) => void;
}

/** Maximum number of requests that are over and that pages still show. */
const MAX_CLOSED = 100;

/** Maximum length of the message of a request that the page gets. */
const MAX_MESSAGE = 20_000;
/** Maximum length of the details of a request that the page gets. */
const MAX_DETAILS = 100_000;

function readDetails(details: string | undefined, isLong: boolean, formSize: number): string | null {
  if (isLong) return describeLongSchema(formSize);
  return details === undefined ? null : sliceText(details, 0, MAX_DETAILS);
}

/** Open input requests of all servers. The first response of any page counts. */
export class InputInbox {
  readonly #entries = new Map<number, InboxEntry>();
  readonly #feed: ChangeFeed;
  readonly #onChange: (call: number) => void;
  readonly #clock: Clock;
  #last = 0;

  /** @param onChange Called when the number of open requests of a call has changed. */
  constructor(feed: ChangeFeed, onChange: (call: number) => void, clock: Clock = systemClock) {
    this.#feed = feed;
    this.#onChange = onChange;
    this.#clock = clock;
  }

  /** Requests input from the user. Resolves with `cancel` if the request is withdrawn. */
  ask({
    server,
    call,
    kind,
    message,
    details,
    schema,
    url,
    params,
    signal,
    timeout,
  }: UserInputRequest): Promise<InputResponse> {
    return new Promise(resolve => {
      this.#last += 1;
      const id = this.#last;
      const createdAt = this.#clock.now();
      const part = params === undefined ? undefined : readJsonPart(writeJson(params));
      const formSize = schema === undefined ? 0 : writeJson(schema).length;
      const isLong = formSize > MAX_SCHEMA;
      const view: InputRequestView = {
        id,
        server,
        call: call ?? null,
        kind,
        message: sliceText(message, 0, MAX_MESSAGE),
        details: readDetails(details, isLong, formSize),
        schema: isLong ? null : (schema ?? null),
        url: url ?? null,
        params: isObject(part?.value) ? part.value : null,
        cuts: part?.cuts ?? [],
        createdAt,
        expiresAt: timeout === undefined ? null : createdAt + timeout,
        state: 'open',
        action: null,
      };
      const withdraw = () => this.#end(id, { action: 'cancel' }, 'withdrawn');
      const stop = timeout === undefined ? () => {} : this.#clock.after(timeout, withdraw);
      this.#show({
        view,
        resolve(response) {
          stop();
          signal?.removeEventListener('abort', withdraw);
          resolve(response);
        },
      });
      if (signal?.aborted) withdraw();
      else signal?.addEventListener('abort', withdraw, { once: true });
    });
  }

  /** Asks the user to allow an action. */
  async approve(
    request: Pick<UserInputRequest, 'server' | 'call' | 'message' | 'details' | 'signal'>,
  ): Promise<boolean> {
    const { action } = await this.ask({ ...request, kind: 'approval' });
    return action === 'accept';
  }

  /** Tells if a call waits for the user. */
  isWaiting(call: number): boolean {
    return [...this.#entries.values()].some(({ view }) => view.call === call && view.state === 'open');
  }

  /** @throws TenonError `console/answered` if nothing waits for the response. */
  respond(id: number, response: InputResponse): void {
    if (!this.#end(id, response, 'answered'))
      throw new TenonError(
        'console/answered',
        `input request ${id}: no response is expected, because another page has answered or the server has withdrawn it`,
      );
  }

  /** Withdraws the input requests of a server that is removed. */
  withdraw(server: string): void {
    for (const [id, { view }] of this.#entries)
      if (view.server === server) this.#end(id, { action: 'cancel' }, 'withdrawn');
  }

  #end(id: number, response: InputResponse, state: 'answered' | 'withdrawn'): boolean {
    const entry = this.#entries.get(id);
    if (entry?.view.state !== 'open') return false;
    const action: InputAction | null = state === 'answered' ? response.action : null;
    this.#show({ ...entry, view: { ...entry.view, state, action } });
    entry.resolve(response);
    return true;
  }

  #show(entry: InboxEntry): void {
    const { view } = entry;
    this.#entries.set(view.id, entry);
    for (const id of dropOldest(this.#entries, MAX_CLOSED, each => each.view.state === 'open'))
      this.#feed.delete(`input-request ${id}`);
    this.#feed.set(`input-request ${view.id}`, { type: 'input-request', request: view });
    if (view.call !== null) this.#onChange(view.call);
  }
}
