import { type PausingClock, pausingClock } from '../../client/allowance.js';
import { byChannel } from '../../client/connect.js';
import type { Link } from '../../client/link.js';
import { openLink } from '../../client/opening.js';
import type { ClientOptions } from '../../client/options.js';
import { systemClock } from '../../jsonrpc/clock.js';
import { TenonError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { isTerminal, type TaskStatus } from '../../model/tasks.js';
import { createPair } from '../../transports/memory.js';
import { answersTo, noted, type Questions } from './noting.js';
import type { Observation } from './observation.js';
import { Replica, World } from './replica.js';
import type { Road } from './roads.js';
import type { Subject } from './subject.js';
import type { Trial } from './trial.js';
import { watched } from './watching.js';

/** Serves the handler in one way, and answers what it asks, until there is a result. */
export async function travel(subject: Subject, road: Road, way: Observation, trial: Trial): Promise<void> {
  const traveller = new Traveller(subject, road, way, trial);
  way.onOver = () => traveller.rest();
  try {
    way.result = await traveller.call();
  } catch (error) {
    if (!TenonError.is(error) || error.rpc === undefined) throw error;
    way.error = { code: error.rpc, message: error.message };
  }
  if (way.entries === 0 && trial.expected?.entries) way.lacks = Object.keys(subject.needs ?? {});
}

const LOST = Symbol('lost');
const WITHOUT_END = Number.MAX_SAFE_INTEGER;

/** A client for one call, whose server may be several processes. */
class Traveller {
  readonly #subject: Subject;
  readonly #road: Road;
  readonly #way: Observation;
  readonly #trial: Trial;
  readonly #world = new World();
  readonly #clock: PausingClock;
  readonly #replicas: Replica[] = [];
  readonly #links = new Map<Replica, Promise<Link>>();
  #promoted = false;
  #over = false;

  constructor(subject: Subject, road: Road, way: Observation, trial: Trial) {
    this.#subject = subject;
    this.#road = road;
    this.#way = way;
    this.#trial = trial;
    this.#clock = pausingClock(this.#world.clock);
    this.#world.mortal = road.promotion === undefined;
    this.#replicas.push(this.#start(), ...(road.turns ? [this.#start()] : []));
  }

  /** Calls, and answers what is asked by results. */
  async call(): Promise<JsonObject> {
    const { method, params } = this.#subject;
    const byParameter = this.#road.task && this.#road.dialect.tasks === 'by-parameter';
    let sent: JsonObject = byParameter ? { ...params, task: {} } : params;
    for (;;) {
      const result = await this.#round(method, sent);
      if (result.resultType === 'task') return this.#follow(String(result.taskId));
      if (result.resultType !== 'input_required') return result;
      const { inputRequests, requestState } = result;
      const inputResponses = await this.#answers(inputRequests);
      sent = { ...params, inputResponses, ...(requestState === undefined ? {} : { requestState }) };
      this.#way.answered();
      if (this.#road.turns) this.#replicas.reverse();
    }
  }

  /** One request of the call. The same retry may be sent again when the process that worked on it is lost. */
  async #round(method: string, sent: JsonObject): Promise<JsonObject> {
    // A task that was made is made, and its client told, though its process may be lost meanwhile.
    if (this.#road.task) return this.#call(method, sent);
    for (;;) {
      const result = await this.#reach(method, sent);
      if (result !== LOST) return result;
    }
  }

  async #call(method: string, params: JsonObject): Promise<JsonObject> {
    const link = await this.#link(this.#replica);
    return link.call(method, params, { idleTimeout: WITHOUT_END });
  }

  rest(): void {
    this.#over = true;
    for (const replica of this.#replicas) replica.server.close();
    for (const link of this.#links.values()) void link.then(each => each.close()).catch(() => {});
  }

  get #replica(): Replica {
    return this.#replicas[0] as Replica;
  }

  #follow(taskId: string): Promise<JsonObject> {
    this.#world.mortal = true;
    return this.#road.dialect.tasks === 'by-parameter' ? this.#await(taskId) : this.#poll(taskId);
  }

  /** Where the answer waits until there is one, and the server asks by requests meanwhile. */
  async #await(taskId: string): Promise<JsonObject> {
    for (;;) {
      const result = await this.#reach('tasks/result', { taskId });
      if (result !== LOST) return result;
    }
  }

  async #poll(taskId: string): Promise<JsonObject> {
    let seen = new Set<string>();
    while (!this.#over) {
      const task = await this.#reach('tasks/get', { taskId });
      if (task === LOST) continue;
      if (isTerminal(task.status as TaskStatus)) return payload(task);
      const asked = Object.entries((task.inputRequests ?? {}) as Questions).filter(([key]) => !seen.has(key));
      for (const [key] of asked) seen.add(key);
      if (asked.length === 0) await turn();
      else {
        const inputResponses = await this.#answers(Object.fromEntries(asked));
        const updated = await this.#reach('tasks/update', { taskId, inputResponses });
        // Whether it was written is not known: what is still asked is answered again.
        if (updated === LOST) seen = new Set();
      }
    }
    throw new Error('nobody waits for this way any longer');
  }

  /** Sends something. When the process is lost another one takes its place. */
  async #reach(method: string, params: JsonObject): Promise<JsonObject | typeof LOST> {
    const replica = this.#replica;
    if (replica.lost) return this.#replace(replica);
    const answered = this.#call(method, params);
    answered.catch(() => {});
    const result = await Promise.race([answered, replica.whenLost.then(() => LOST)]);
    return result === LOST ? this.#replace(replica) : (result as JsonObject);
  }

  #replace(replica: Replica): typeof LOST {
    this.#way.lost(replica, this.#world.record);
    this.#world.forget();
    this.#replicas.unshift(this.#start());
    return LOST;
  }

  #start(): Replica {
    const { task, promotion, dies = false, forgets = false, turns = false } = this.#road;
    const rules = promotion ? { ...this.#subject.task, after: 1 } : { ...this.#subject.task, after: 0 };
    const facts = { dies, forgets, durable: dies || turns };
    return new Replica(this.#world, facts, replica =>
      this.#subject.offer(
        enter => watched(enter, this.#way, replica, this.#trial, at => this.#promote(at)),
        task ? rules : undefined,
      ),
    );
  }

  #promote(at: number): void {
    if (this.#promoted || this.#road.promotion?.at !== at) return;
    this.#promoted = true;
    this.#world.clock.advance(1);
  }

  #link(replica: Replica): Promise<Link> {
    const found = this.#links.get(replica);
    if (found) return found;
    const { dialect, task = false } = this.#road;
    const options: ClientOptions = {
      ...noted(this.#trial.answers, this.#way, replica),
      revision: dialect.revision,
      tasks: task,
    };
    const endpoint = byChannel(async () => {
      const pair = createPair();
      await replica.server.connect(pair.server);
      return pair.client;
    });
    const link = openLink(endpoint, { ...options, clock: this.#clock }, nobody, this.#clock);
    this.#links.set(replica, link);
    return link;
  }

  #answers(questions: unknown): Promise<JsonObject> {
    const answers = noted(this.#trial.answers, this.#way, this.#replica);
    return answersTo((questions ?? {}) as Questions, answers, this.#clock);
  }
}

const nobody = { notification: () => {}, problem: () => {}, closed: () => {}, onSessionLost: () => {} };

function payload({ status, result, error }: JsonObject): JsonObject {
  if (status === 'completed') return result as JsonObject;
  const { code, message } = (error ?? { code: 0, message: String(status) }) as { code: number; message: string };
  throw new TenonError('peer/error', message, { rpc: code });
}

/** Lets what goes on in this process go on. */
function turn(): Promise<void> {
  return new Promise(resolve => {
    systemClock.after(0, resolve, { hold: true });
  });
}
