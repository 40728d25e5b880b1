import type { Clock } from '../../jsonrpc/clock.js';
import { TenonError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { Optional } from '../../model/defaults.js';
import { type CallerIdentity, getOwnerKey } from '../../model/owner.js';
import type { ListOptions, Stored, Stores } from '../../stores/stores.js';
import { createBell } from './bell.js';
import type { Binding } from './binding.js';
import type { Answer } from './decision.js';
import { masked } from './masked.js';
import type { Proposal, Verdict } from './proposal.js';
import { isId } from './remembered.js';

const KEYS = 'policy/question/';
const ASKED = 'policy/asked';
const ANSWERED = 'policy/answered/';

/** How often a caller who waits looks into the store by itself, in milliseconds: news may be lost on the way. */
const LOOK = 5000;
/** For how long an answer is kept for the caller who waits for it. Then another who wants the very same may have it. */
const GRACE = 2 * LOOK;

/** A question that waits for an answer. What is secret of the arguments is not in it. */
export interface Question extends Partial<CallerIdentity> {
  readonly id: string;
  readonly kind: Proposal['kind'];
  readonly server: string;
  readonly name: string;
  readonly arguments: JsonObject;
  /** SHA-256 of the arguments as they are. */
  readonly digest: string;
  /** Why it is asked. */
  readonly reason?: string | undefined;
  /** Milliseconds since the epoch, by the clock. */
  readonly askedAt: number;
  readonly expiresAt: number;
}

export interface Answered extends Answer {
  readonly at: number;
  readonly by?: string | undefined;
}

interface Kept {
  readonly question: Question;
  readonly binding: Binding;
  readonly answer?: Answered;
}

export interface Room {
  readonly most: number;
  readonly ofOne: number;
}

/** Questions in a store, where other processes find them. */
export class Questions {
  readonly #stores: Pick<Stores, 'values'> & Optional<Pick<Stores, 'bus'>>;
  readonly #clock: Clock;
  readonly #room: Room;

  constructor(stores: Pick<Stores, 'values'> & Optional<Pick<Stores, 'bus'>>, clock: Clock, room: Room) {
    this.#stores = stores;
    this.#clock = clock;
    this.#room = room;
  }

  /** Tells whether there are so many that no more are laid: of all, or of this user and OAuth client. */
  async isFull(identity: CallerIdentity): Promise<boolean> {
    const all = await this.pending({ limit: this.#room.most });
    const owner = getOwnerKey(identity);
    const own = all.filter(each => getOwnerKey(each) === owner);
    return all.length >= this.#room.most || own.length >= this.#room.ofOne;
  }

  async pending({ after, limit }: ListOptions = {}): Promise<Question[]> {
    const options = { limit, ...(after === undefined ? {} : { after: KEYS + after }) };
    const found = await this.#stores.values.list(KEYS, options);
    return found.flatMap(stored => {
      const { question, answer } = keptOf(stored);
      return answer === undefined && this.#isLive(question) ? [question] : [];
    });
  }

  /** Answers one, once. Throws `policy/no-question` when it is not there any more, `policy/answered` when it has one. */
  async answer(id: string, of: (question: Question) => Answered): Promise<Kept> {
    for (;;) {
      const stored = isId(id) ? await this.#stores.values.get(KEYS + id) : undefined;
      const kept = stored && keptOf(stored);
      if (!stored || !kept || !this.#isLive(kept.question)) throw noQuestion();
      if (kept.answer) throw new TenonError('policy/answered', 'somebody has answered the question before');
      const next = { ...kept, answer: of(kept.question) };
      const ttl = kept.question.expiresAt - this.#clock.now();
      const put = { version: stored.version, ttl };
      if (await this.#stores.values.put(stored.key, next as unknown as JsonObject, put)) return next;
    }
  }

  /** Tells whoever waits for it. */
  async tell(id: string): Promise<void> {
    await this.#stores.bus?.publish(ANSWERED + id, {});
  }

  /** Hears of each question that is laid. */
  watch(hear: () => void): () => void {
    return this.#stores.bus?.subscribe(ASKED, hear) ?? (() => {});
  }

  /** An answer to the very same call whose caller is gone without it, or that of `own`. It is taken away: it is good once. */
  async take(binding: Binding, own?: string): Promise<Answered | undefined> {
    for (const stored of await this.#stores.values.list(`${KEYS}${binding.call}.`)) {
      const { question, answer } = keptOf(stored);
      if (answer === undefined || !this.#isLive(question)) continue;
      if (question.id !== own && this.#clock.now() < answer.at + GRACE) continue;
      if (await this.#stores.values.delete(stored.key, stored.version)) return answer;
    }
    return undefined;
  }

  /** Lays a question and waits. Nothing is left of it when the caller goes away, or nobody answers in time. */
  async wait(
    proposal: Proposal,
    binding: Binding,
    options: { readonly life: number; readonly signal: AbortSignal; readonly verdict: Verdict | undefined },
  ): Promise<Answered | 'late' | 'gone'> {
    const { life, signal, verdict } = options;
    const question = this.#questionOf(proposal, binding, life, verdict);
    const bell = createBell(this.#clock);
    const stop = this.#stores.bus?.subscribe(ANSWERED + question.id, bell.ring);
    signal.addEventListener('abort', bell.ring);
    try {
      for (;;) {
        if (signal.aborted) return 'gone';
        if (!this.#isLive(question)) return 'late';
        const answer = await this.#look(question, binding);
        if (answer) return answer;
        await bell.next(Math.max(0, Math.min(LOOK, question.expiresAt - this.#clock.now())));
      }
    } finally {
      bell.stop();
      stop?.();
      signal.removeEventListener('abort', bell.ring);
      await this.#stores.values.delete(KEYS + question.id);
    }
  }

  /** Lays it, also once more when another has taken its answer. */
  async #look(question: Question, binding: Binding): Promise<Answered | undefined> {
    const answer = await this.take(binding, question.id);
    if (answer) return answer;
    const kept: Kept = { question, binding };
    const ttl = question.expiresAt - this.#clock.now();
    const put = { version: 0, ttl };
    const laid = await this.#stores.values.put(KEYS + question.id, kept as unknown as JsonObject, put);
    if (laid) await this.#stores.bus?.publish(ASKED, {});
    return undefined;
  }

  #isLive({ expiresAt }: Question): boolean {
    return this.#clock.now() < expiresAt;
  }

  #questionOf(proposal: Proposal, binding: Binding, life: number, verdict: Verdict | undefined): Question {
    const { kind, server, name, principal, issuer, clientId } = proposal;
    const now = this.#clock.now();
    return {
      id: `${binding.call}.${crypto.randomUUID()}`,
      kind,
      server,
      name,
      arguments: masked(proposal.arguments),
      digest: binding.digest,
      ...(principal === undefined ? {} : { principal }),
      ...(issuer === undefined ? {} : { issuer }),
      ...(clientId === undefined ? {} : { clientId }),
      ...(verdict === undefined ? {} : { reason: verdict.reason }),
      askedAt: now,
      expiresAt: now + life,
    };
  }
}

function keptOf({ value }: Stored): Kept {
  return value as unknown as Kept;
}

function noQuestion(): TenonError {
  const next = 'see `pending()` for those that wait';
  return new TenonError('policy/no-question', 'no question of this id waits: it was withdrawn, or its time is up', {
    next,
  });
}
