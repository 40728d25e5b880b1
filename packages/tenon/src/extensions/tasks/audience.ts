import type { Clock } from '../../jsonrpc/clock.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { RELATED_TASK } from '../../model/meta.js';
import { isTerminal } from '../../model/tasks.js';
import type { Caller } from '../../server/caller.js';
import type { Session } from '../../server/turn.js';
import type { TaskAccess } from './access.js';
import { detailed, type TaskRecord } from './record.js';
import type { Shelf } from './shelf.js';
import { tokenOf } from './task-turn.js';

/** How often what a handler says of its progress is written down, in milliseconds. */
const PACE = 1000;

type Deliver = (method: string, params: JsonObject) => void;

interface Attending {
  readonly session: Session;
  /** The caller that last asked for the task in this session. */
  caller: Caller;
  /** A handler that is entered again begins anew, and what the client is told must grow. */
  progress: number;
}

/** Who is told of tasks: the sessions that made them, and those who listen. */
export class Audience {
  readonly #shelf: Shelf;
  readonly #clock: Clock;
  readonly #access: TaskAccess;
  readonly #asks: (record: TaskRecord) => void;
  readonly #attending = new Map<string, Attending>();
  readonly #known = new WeakSet<Session>();
  readonly #listeners = new Map<string, Map<Deliver, Caller>>();
  readonly #paced = new Map<string, (() => void) | undefined>();
  #unhear: (() => void) | undefined;

  /** `asks`: told when a task asks whose session is here. */
  constructor(shelf: Shelf, clock: Clock, access: TaskAccess, asks: (record: TaskRecord) => void) {
    this.#shelf = shelf;
    this.#clock = clock;
    this.#access = access;
    this.#asks = asks;
  }

  /** The session that was last seen to care for a task. */
  sessionOf(id: string): Session | undefined {
    return this.#attending.get(id)?.session;
  }

  /** Tells this session of the task, for as long as both live, and no other one any longer. */
  attend(id: string, session: Session, caller: Caller): void {
    const attending = this.#attending.get(id);
    if (attending?.session === session) {
      attending.caller = caller;
      return;
    }
    this.#attending.set(id, { session, caller, progress: Number.NEGATIVE_INFINITY });
    this.#hear();
    if (this.#known.has(session)) return;
    this.#known.add(session);
    session.whenOver(() => {
      for (const [each, attending] of this.#attending) if (attending.session === session) this.#leave(each);
    });
  }

  /** Tells a listener of these tasks, as they stand and whenever they change. Gives what ends it. */
  listen(ids: readonly string[], caller: Caller, deliver: Deliver): () => void {
    for (const id of ids) {
      const all = this.#listeners.get(id) ?? new Map();
      this.#listeners.set(id, all.set(deliver, caller));
      void this.#tell(
        id,
        (task, record) => this.#access.isAllowed(record, caller) && deliver('notifications/tasks', task),
      );
    }
    this.#hear();
    return () => {
      for (const id of ids) {
        this.#listeners.get(id)?.delete(deliver);
        if (this.#listeners.get(id)?.size === 0) this.#listeners.delete(id);
      }
      this.#rest();
    };
  }

  /** What a handler says to its client goes to the session that made the task, where there is one. */
  said(record: TaskRecord, method: string, said: JsonObject): void {
    const attending = this.#attending.get(record.id);
    if (attending === undefined || !this.#access.isAllowed(record, attending.caller)) return;
    if (method === 'notifications/progress') {
      const progress = Number(said.progress);
      if (tokenOf(record) === undefined || progress <= attending.progress) return;
      attending.progress = progress;
    }
    const _meta = { ...(said._meta as JsonObject | undefined), [RELATED_TASK]: { taskId: record.id } };
    attending.session.tell(method, { ...said, _meta });
  }

  /** Does something for this task, once in a while: of what was to be done meanwhile, the last is. */
  soon(id: string, work: () => void): void {
    const waits = this.#paced.has(id);
    this.#paced.set(id, work);
    if (!waits) this.#pace(id);
  }

  #pace(id: string): void {
    const work = this.#paced.get(id);
    if (work === undefined) return void this.#paced.delete(id);
    this.#paced.set(id, undefined);
    this.#clock.after(PACE, () => this.#pace(id));
    work();
  }

  #hear(): void {
    this.#unhear ??= this.#shelf.hear(id => void this.#changed(id));
  }

  #rest(): void {
    if (this.#attending.size > 0 || this.#listeners.size > 0) return;
    this.#unhear?.();
    this.#unhear = undefined;
  }

  #leave(id: string): void {
    this.#attending.delete(id);
    this.#rest();
  }

  async #changed(id: string): Promise<void> {
    if (!this.#attending.has(id) && !this.#listeners.has(id)) return;
    await this.#tell(id, (task, record) => {
      // The scopes of a tool may have changed since.
      const attending = this.#attending.get(id);
      const session = attending && this.#access.isAllowed(record, attending.caller) ? attending.session : undefined;
      session?.tell('notifications/tasks/status', task);
      for (const [deliver, caller] of this.#listeners.get(id) ?? [])
        if (this.#access.isAllowed(record, caller)) deliver('notifications/tasks', task);
      if (session && record.status === 'input_required') this.#asks(record);
      if (isTerminal(record.status)) this.#leave(id);
    });
  }

  async #tell(id: string, tell: (task: JsonObject, record: TaskRecord) => void): Promise<void> {
    const record = await this.#shelf.get(id).catch(() => undefined);
    if (record) tell(detailed(record) as unknown as JsonObject, record);
  }
}
