import { isObject } from '@tenon/base';
import type { FaultKind, FaultPlan } from '@tenon/console/api';
import {
  cut,
  delay,
  drop,
  duplicate,
  type InjectedFault,
  type MessageFault,
  malformed,
  replaceWith,
} from '@tenon/testing';
import type { JsonRpcMessage } from 'tenon';
import { createUsageError } from '../usage-error.js';
import { OPENING_METHODS } from './wire-log.js';

const KINDS: readonly FaultKind[] = ['drop', 'duplicate', 'delay', 'malformed', 'replace', 'cut'];
const PLACES: readonly FaultPlan['on'][] = ['request', 'response', 'notifications'];
/** Maximum delay of a message, in milliseconds. */
const MAX_DELAY = 600_000;

/** Fault of a message that is sent. */
export interface SentFault {
  readonly fault: MessageFault;
  /** The message, if another one is sent in its place. */
  readonly before?: JsonRpcMessage;
}

/**
 * Chooses the faults of the messages of one connection. The request and the response of a call have one fault at most,
 * and the notifications of a call are cut once, so that a stream that is cut can be resumed.
 */
export class ConnectionFaults {
  readonly #getPlan: () => FaultPlan | null;
  readonly #onUsed: () => void;
  readonly #calls = new Set<number>();
  /** Streams without a call that the current plan has cut. */
  #cutStreams: { readonly plan: FaultPlan | null; readonly requests: Set<unknown> } = {
    plan: null,
    requests: new Set(),
  };
  readonly #received = new WeakMap<object, MessageFault>();
  readonly #sent = new WeakMap<object, SentFault>();
  #sending: SentFault | undefined;

  /** @param onUsed Called when the plan has applied to a message. */
  constructor(getPlan: () => FaultPlan | null, onUsed: () => void) {
    this.#getPlan = getPlan;
    this.#onUsed = onUsed;
  }

  /** Chooses the fault of a message before it is sent. */
  chooseSent(message: unknown, call: number | undefined): MessageFault | undefined {
    this.#sending = undefined;
    // A connection that is opened again within a call has no fault before its request.
    const isRequest =
      isObject(message) &&
      typeof message.method === 'string' &&
      'id' in message &&
      !OPENING_METHODS.has(message.method);
    return isRequest ? this.#choose('request', message, call) : undefined;
  }

  /**
   * Chooses the fault of a received message, for its row and for `getReceived`.
   *
   * @param relatedTo Request on whose stream the message arrived, if it is known.
   */
  chooseReceived(message: JsonRpcMessage, call: number | undefined, relatedTo?: unknown): MessageFault | undefined {
    const hasMethod = 'method' in message;
    if (hasMethod && 'id' in message) return undefined;
    const fault = this.#choose(hasMethod ? 'notifications' : 'response', message, call, relatedTo);
    if (fault) this.#received.set(message, fault);
    return fault;
  }

  /** Returns the fault that was chosen for a received message. */
  getReceived(message: unknown): MessageFault | undefined {
    return isObject(message) ? this.#received.get(message) : undefined;
  }

  /** Notes the fault of a message that is sent. Returns `true` if the message is lost. */
  noteSent({ fault, message, replacement }: InjectedFault): boolean {
    const { kind } = fault;
    const sent = { fault, ...(replacement !== undefined && isMessage(message) ? { before: message } : {}) };
    if (isObject(message) && kind === 'delay') this.#sent.set(message, sent);
    else this.#sending = sent;
    return kind === 'drop' || kind === 'cut';
  }

  /** Returns the fault of a message that is being sent. */
  getSent(message: JsonRpcMessage): SentFault | undefined {
    return this.#sent.get(message) ?? this.#sending;
  }

  #choose(
    on: FaultPlan['on'],
    message: object,
    call: number | undefined,
    relatedTo?: unknown,
  ): MessageFault | undefined {
    const plan = this.#getPlan();
    if (plan?.on !== on) return undefined;
    if (on !== 'notifications') {
      if (call === undefined || !addOnce(this.#calls, call)) return undefined;
    } else if (plan.kind === 'cut' && !this.#cutsStream(plan, call, relatedTo)) return undefined;
    this.#onUsed();
    return createFault(plan, message);
  }

  /** Tells if a notification is the first one that its call, or its stream without a call, loses by a cut. */
  #cutsStream(plan: FaultPlan, call: number | undefined, relatedTo: unknown): boolean {
    if (call !== undefined) return addOnce(this.#calls, call);
    if (this.#cutStreams.plan !== plan) this.#cutStreams = { plan, requests: new Set() };
    return addOnce(this.#cutStreams.requests, relatedTo);
  }
}

/** Adds a value to a set. Returns `false` if the set has it already. */
function addOnce<T>(values: Set<T>, value: T): boolean {
  if (values.has(value)) return false;
  values.add(value);
  return true;
}

/** Tells if a value is a message of the library, which is never invalid. */
export const isMessage = (value: unknown): value is JsonRpcMessage => isObject(value) && value.jsonrpc === '2.0';

function createFault({ kind, ms = 0, result = {} }: FaultPlan, message: object): MessageFault {
  switch (kind) {
    case 'drop':
      return drop;
    case 'duplicate':
      return duplicate;
    case 'delay':
      return delay(ms);
    case 'malformed':
      return malformed;
    case 'cut':
      return cut;
    case 'replace': {
      const { jsonrpc, id } = { jsonrpc: undefined, id: undefined, ...message };
      return replaceWith({ jsonrpc, id, result });
    }
  }
}

/** Reads the faults that the page plans. `null`: no faults. */
export function readFaultPlan({
  kind,
  on,
  ms,
  result,
  repeat,
}: {
  readonly [name: string]: unknown;
}): FaultPlan | null {
  if (kind === null) return null;
  const [knownKind, knownPlace] = [KINDS.find(each => each === kind), PLACES.find(each => each === on)];
  if (!knownKind || !knownPlace)
    throw createUsageError('fault: expected a known kind and place', `choose one of ${KINDS.join(', ')}`);
  if (knownKind === 'delay' && !(typeof ms === 'number' && ms >= 0 && ms <= MAX_DELAY))
    throw createUsageError(`ms: expected a number from 0 to ${MAX_DELAY}`, 'enter a shorter delay');
  if (knownKind === 'replace' && (knownPlace !== 'response' || !isObject(result)))
    throw createUsageError('result: expected an object, for a response', 'enter the result as a JSON object');
  return {
    kind: knownKind,
    on: knownPlace,
    repeat: repeat === true,
    ...(typeof ms === 'number' ? { ms } : {}),
    ...(isObject(result) ? { result } : {}),
  };
}
