import { type JsonObject, systemClock, TenonError } from '@tenon/base';
import { type ClientOptions, createTransportPair, type TaskStatus } from 'tenon';
import {
  type Connection,
  createPausableClock,
  createTransportEndpoint,
  isTerminal,
  negotiateConnection,
  type PausableClock,
} from 'tenon/testing-internals';
import { answerRequests, type InputRequestMap, observeClientHandlers } from './client-handlers.js';
import type { EquivalenceCheck } from './equivalence-check.js';
import type { HandlerUnderTest } from './handler-under-test.js';
import type { Observation } from './observation.js';
import { observeHandler } from './observe-handler.js';
import { Replica, SharedEnvironment } from './replica.js';
import type { ExecutionScenario } from './scenarios.js';

/** Runs the handler in one scenario, and answers its input requests, until there is a result. */
export async function runScenario(
  target: HandlerUnderTest,
  scenario: ExecutionScenario,
  observation: Observation,
  equivalence: EquivalenceCheck,
): Promise<void> {
  const client = new ScenarioClient(target, scenario, observation, equivalence);
  observation.onEnd = () => client.close();
  try {
    observation.result = await client.call();
  } catch (error) {
    if (!TenonError.is(error) || error.rpcCode === undefined) throw error;
    observation.error = { code: error.rpcCode, message: error.message };
  }
  if (observation.entries === 0 && equivalence.expected?.entries)
    observation.missingCapabilities = Object.keys(target.requiredCapabilities ?? {});
}

const REPLICA_LOST = Symbol('lost');
const NO_TIMEOUT = Number.MAX_SAFE_INTEGER;

/** A client for one call. Its server may consist of several processes. */
class ScenarioClient {
  readonly #target: HandlerUnderTest;
  readonly #scenario: ExecutionScenario;
  readonly #observation: Observation;
  readonly #equivalence: EquivalenceCheck;
  readonly #environment = new SharedEnvironment();
  readonly #clock: PausableClock;
  readonly #replicas: Replica[] = [];
  readonly #connections = new Map<Replica, Promise<Connection>>();
  #promoted = false;
  #isClosed = false;

  constructor(
    target: HandlerUnderTest,
    scenario: ExecutionScenario,
    observation: Observation,
    equivalence: EquivalenceCheck,
  ) {
    this.#target = target;
    this.#scenario = scenario;
    this.#observation = observation;
    this.#equivalence = equivalence;
    this.#clock = createPausableClock(this.#environment.clock);
    this.#environment.canCrash = scenario.promotion === undefined;
    this.#replicas.push(this.#startReplica(), ...(scenario.alternates ? [this.#startReplica()] : []));
  }

  /** Calls the tool, and answers the input requests of its results. */
  async call(): Promise<JsonObject> {
    const { method, params } = this.#target;
    const byParameter = this.#scenario.task && this.#scenario.dialect.tasks === 'by-parameter';
    let sent: JsonObject = byParameter ? { ...params, task: {} } : params;
    for (;;) {
      const result = await this.#sendRound(method, sent);
      if (result.resultType === 'task') return this.#waitForTask(String(result.taskId));
      if (result.resultType !== 'input_required') return result;
      const { inputRequests, requestState } = result;
      const inputResponses = await this.#answerRequests(inputRequests);
      sent = { ...params, inputResponses, ...(requestState === undefined ? {} : { requestState }) };
      this.#observation.markAnswered();
      if (this.#scenario.alternates) this.#replicas.reverse();
    }
  }

  /** Sends one request of the call. The same retry may be sent again after a crash of its process. */
  async #sendRound(method: string, sent: JsonObject): Promise<JsonObject> {
    // A created task exists and its client has its ID, even if its process crashes meanwhile.
    if (this.#scenario.task) return this.#call(method, sent);
    for (;;) {
      const result = await this.#trySend(method, sent);
      if (result !== REPLICA_LOST) return result;
    }
  }

  async #call(method: string, params: JsonObject): Promise<JsonObject> {
    const connection = await this.#connect(this.#replica);
    return connection.call(method, params, { idleTimeout: NO_TIMEOUT });
  }

  close(): void {
    this.#isClosed = true;
    for (const replica of this.#replicas) replica.stop();
    for (const connection of this.#connections.values()) void connection.then(each => each.close()).catch(() => {});
  }

  get #replica(): Replica {
    return this.#replicas[0] as Replica;
  }

  #waitForTask(taskId: string): Promise<JsonObject> {
    this.#environment.canCrash = true;
    return this.#scenario.dialect.tasks === 'by-parameter' ? this.#awaitResult(taskId) : this.#pollTask(taskId);
  }

  /**
   * Waits for the result with a request that stays open, on versions where the server sends input requests meanwhile.
   */
  async #awaitResult(taskId: string): Promise<JsonObject> {
    for (;;) {
      const result = await this.#trySend('tasks/result', { taskId });
      if (result !== REPLICA_LOST) return result;
    }
  }

  async #pollTask(taskId: string): Promise<JsonObject> {
    let seen = new Set<string>();
    while (!this.#isClosed) {
      const task = await this.#trySend('tasks/get', { taskId });
      if (task === REPLICA_LOST) continue;
      if (isTerminal(task.status as TaskStatus)) return unwrapResult(task);
      const unanswered = Object.entries((task.inputRequests ?? {}) as InputRequestMap).filter(
        ([key]) => !seen.has(key),
      );
      for (const [key] of unanswered) seen.add(key);
      if (unanswered.length === 0) await yieldToEventLoop();
      else {
        const inputResponses = await this.#answerRequests(Object.fromEntries(unanswered));
        const updated = await this.#trySend('tasks/update', { taskId, inputResponses });
        // It is unknown if the write succeeded, so open input requests are answered again.
        if (updated === REPLICA_LOST) seen = new Set();
      }
    }
    throw new Error('nobody waits for this way any longer');
  }

  /** Sends a request. If the process crashes, another process replaces it. */
  async #trySend(method: string, params: JsonObject): Promise<JsonObject | typeof REPLICA_LOST> {
    const replica = this.#replica;
    if (replica.isCrashed) return this.#replace(replica);
    const answered = this.#call(method, params);
    answered.catch(() => {});
    const result = await Promise.race([answered, replica.crashed.then(() => REPLICA_LOST)]);
    return result === REPLICA_LOST ? this.#replace(replica) : (result as JsonObject);
  }

  #replace(replica: Replica): typeof REPLICA_LOST {
    this.#observation.markReplicaLost(replica, this.#environment.record);
    this.#environment.expireLeases();
    this.#replicas.unshift(this.#startReplica());
    return REPLICA_LOST;
  }

  #startReplica(): Replica {
    const { task, promotion, crashes = false, withoutMemory = false, alternates = false } = this.#scenario;
    const rules = promotion ? { ...this.#target.task, after: 1 } : { ...this.#target.task, after: 0 };
    const options = { crashes, withoutMemory, durable: crashes || alternates };
    return new Replica(this.#environment, options, replica =>
      this.#target.createDefinition(
        enter => observeHandler(enter, this.#observation, replica, this.#equivalence, index => this.#promote(index)),
        task ? rules : undefined,
      ),
    );
  }

  #promote(index: number): void {
    if (this.#promoted || this.#scenario.promotion?.index !== index) return;
    this.#promoted = true;
    this.#environment.clock.advance(1);
  }

  #connect(replica: Replica): Promise<Connection> {
    const existing = this.#connections.get(replica);
    if (existing) return existing;
    const { dialect, task = false } = this.#scenario;
    const options: ClientOptions = {
      ...observeClientHandlers(this.#equivalence.answers, this.#observation, replica),
      protocolVersion: dialect.protocolVersion,
      tasks: task,
    };
    const endpoint = createTransportEndpoint(async () => {
      const pair = createTransportPair();
      await replica.server.connect(pair.server);
      return pair.client;
    });
    const connection = negotiateConnection(endpoint, { ...options, clock: this.#clock }, noEvents, this.#clock);
    this.#connections.set(replica, connection);
    return connection;
  }

  #answerRequests(questions: unknown): Promise<JsonObject> {
    const answers = observeClientHandlers(this.#equivalence.answers, this.#observation, this.#replica);
    return answerRequests((questions ?? {}) as InputRequestMap, answers, this.#clock);
  }
}

const noEvents = {
  onNotification: () => {},
  onError: () => {},
  onCreated: () => {},
  onClose: () => {},
  onSessionLost: () => {},
};

function unwrapResult({ status, result, error }: JsonObject): JsonObject {
  if (status === 'completed') return result as JsonObject;
  const { code, message } = (error ?? { code: 0, message: String(status) }) as { code: number; message: string };
  throw new TenonError('peer/error', message, { rpcCode: code });
}

/** Lets pending work of this process continue. */
function yieldToEventLoop(): Promise<void> {
  return new Promise(resolve => {
    systemClock.after(0, resolve, { hold: true });
  });
}
