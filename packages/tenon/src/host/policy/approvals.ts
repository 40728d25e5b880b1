import { systemClock } from '../../jsonrpc/clock.js';
import type { AnswerOptions, Approvals, ApprovalsOptions } from './approval.js';
import { type Binding, bindingOf } from './binding.js';
import { type Answer, type Approval, type Approver, answerOf, checkAnswer, checkFit } from './decision.js';
import type { Proposal, Verdict } from './proposal.js';
import { type Answered, type Question, Questions } from './questions.js';
import { createMemory } from './remembered.js';
import { withinLife } from './within-life.js';

/** How long a question waits for its answer, in milliseconds. */
const QUESTION_LIFE = 5 * 60_000;
/** How long what is remembered is remembered when nobody says how long. */
const REMEMBERED_LIFE = 30 * 24 * 60 * 60_000;
/** How many questions may wait in a store, of all principals and of one. */
const MAX_PENDING = 1000;
const MAX_PENDING_OF_ONE = 100;

const gone: Approval = { granted: false, reason: 'the caller went away, and the question with it' };

export function createApprovals(options: ApprovalsOptions): Approvals {
  const { values, clock = systemClock, life = QUESTION_LIFE, rememberFor = REMEMBERED_LIFE, waits = true } = options;
  const { maxPending = MAX_PENDING, maxPendingOfOne = MAX_PENDING_OF_ONE, approve } = options;
  const memory = createMemory(values, clock, rememberFor);
  const questions = new Questions(options, clock, { most: maxPending, ofOne: maxPendingOfOne });

  /** What was answered or remembered before anybody is asked. */
  async function recall(proposal: Proposal, binding: Binding): Promise<Approval | undefined> {
    const id = await memory.find(proposal, binding);
    if (id !== undefined)
      return { granted: true, reason: `approved before, and remembered as ${id.slice(id.indexOf('.') + 1)}` };
    const left = await questions.take(binding);
    return left && approvalOf(left);
  }

  async function settle(proposal: Proposal, binding: Binding, answer: Answer): Promise<Approval> {
    checkAnswer(answer);
    checkFit(answer, proposal);
    if (answer.remember === undefined) return approvalOf(answer);
    const added = await memory.add(proposal, binding, answer);
    const { granted, reason } = approvalOf(answer);
    return { granted, reason: added ? `${reason}, and remembered` : `${reason}; too much is remembered already` };
  }

  async function wait(proposal: Proposal, binding: Binding, facts: Facts): Promise<Approval> {
    if (await questions.isFull(proposal)) return denied('too many questions wait for an answer');
    const answer = await questions.wait(proposal, binding, { ...facts, life });
    return typeof answer === 'string' ? ended(answer) : approvalOf(answer);
  }

  async function put(asker: Approver, proposal: Proposal, facts: Facts): Promise<Answer | Approval> {
    const asked = await withinLife(clock, life, facts.signal, signal => asker(proposal, { ...facts, signal }));
    return 'ended' in asked ? ended(asked.ended) : answerOf(asked.answer);
  }

  const ended = (how: 'late' | 'gone'): Approval =>
    how === 'gone' ? gone : denied(`nobody answered within ${life} ms`);

  return {
    async obtain(proposal, { signal = new AbortController().signal, ask, step = atOnce, ...grounds } = {}) {
      const binding = await bindingOf(proposal, grounds);
      const facts = { signal, verdict: grounds.verdict };
      if (signal.aborted) return gone;
      const known = await step('policy: known', () => recall(proposal, binding));
      if (known) return known;
      const decide = async (answer: Answer | Approval): Promise<Approval> => {
        if ('granted' in answer) return answer;
        // What is granted is what was asked about, whatever has been done to it meanwhile.
        const now = await bindingOf(proposal, grounds);
        if (now.call !== binding.call) return denied('the call has changed while the question stood');
        return settle(proposal, binding, answer);
      };
      if (approve) return step('policy: approved', async () => decide(await put(approve, proposal, facts)));
      if (ask) {
        const answer = await put(ask, proposal, facts);
        return 'granted' in answer ? answer : step('policy: approved', () => decide(answer));
      }
      if (!waits) return denied('nobody can be asked');
      return step('policy: approved', () => wait(proposal, binding, facts));
    },
    pending: list => questions.pending(list),
    async answer(id, action, given = {}) {
      const answer = answeredBy(action, given, clock.now());
      const { question, binding } = await questions.answer(id, asked => {
        checkFit(seenOf(answer), proposalOf(asked));
        return answer;
      });
      if (answer.remember !== undefined) await memory.add(proposalOf(question), binding, answer);
      await questions.tell(id);
    },
    watch: hear => questions.watch(hear),
    remembered: list => memory.list(list),
    forget: id => memory.forget(id),
  };
}

interface Facts {
  readonly signal: AbortSignal;
  readonly verdict: Verdict | undefined;
}

const atOnce = <T>(_: string, work: () => Promise<T>): Promise<T> => work();

function denied(reason: string): Approval {
  return { granted: false, reason };
}

function approvalOf({ allow, by }: Answer & { readonly by?: string | undefined }): Approval {
  return { granted: allow, reason: `${allow ? 'approved' : 'denied'} by ${by ?? 'a person'}` };
}

function answeredBy(action: 'allow' | 'deny', { remember, for: life, by }: AnswerOptions, at: number): Answered {
  const answer: Answered = {
    allow: action === 'allow',
    at,
    ...(remember === undefined ? {} : { remember }),
    ...(life === undefined ? {} : { for: life }),
    ...(by === undefined ? {} : { by }),
  };
  checkAnswer(answer);
  return answer;
}

/** A question shows the arguments masked, and no annotations: what is said of them can not be checked by it. */
function seenOf(answer: Answer): Answer {
  if (typeof answer.remember !== 'object') return answer;
  const { arguments: _, readOnly, destructive, idempotent, openWorld, ...seen } = answer.remember;
  return { ...answer, remember: seen };
}

function proposalOf({ kind, server, name, principal, issuer, clientId }: Question): Proposal {
  return { kind, server, name, arguments: {}, trusted: false, principal, issuer, clientId };
}
