import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type Clock, systemClock, toCanonicalJson } from '@tenon/base';
import { ensureRealPath, readTextFile, replaceFile } from '@tenon/base/node';
import type {
  CallView,
  DecisionsView,
  DecisionView,
  ExplanationView,
  PolicyTrialView,
  PolicyView,
} from '@tenon/console/api';
import { createPolicy, type Policy, parsePolicy } from '@tenon/host';
import { parseRecording } from '@tenon/testing';
import { type JsonObject, TenonError } from 'tenon';
import { compareDecisions } from '../../recording/compare-decisions.js';
import { type DecisionSetting, evaluateCalls, type RecordedDecision } from '../../recording/report-decisions.js';
import { createUsageError } from '../../usage-error.js';
import { createErrorView } from '../console-calls.js';
import type { TracedDecision } from '../trace/join-trace.js';
import type { DecisionLog, LoggedDecision } from './decision-log.js';

/** Maximum number of decisions that the page gets. */
const MAX_SHOWN = 200;
/** Number of decisions that are computed in one turn, because the gateway serves its callers meanwhile. */
const DECISIONS_PER_TURN = 25;
/** Time by which the clock of a call may differ from that of its decision, in milliseconds. */
const TOLERANCE = 50;
/** Name of a changed policy in errors. */
const CHANGED = 'changed policy';

/** The policy of a gateway, for its console. */
export interface PolicyParts {
  readonly decisions: DecisionLog;
  /** Path of the policy file. Absent for a gateway without a policy. */
  readonly file?: string | undefined;
  /** Reads the policy file again. Absent if the gateway does not apply changes of its files. */
  readonly reload?: (() => Promise<void>) | undefined;
  /** Servers and names, by which the calls of a recording are found. */
  readonly getSetting: () => DecisionSetting;
  readonly clock?: Clock | undefined;
}

/** Parts of a call of the page by which its decision is found. */
export interface DecidedCall {
  readonly view: CallView;
  readonly params: JsonObject;
  /** `seq` of its messages to the server. */
  readonly messages: readonly number[];
}

/** Explanation of a call about which no policy has decided. */
export const NO_DECISION: ExplanationView = { decision: null, explanation: '' };

/** Explains, tries and saves the policy of a gateway. */
export class GatewayPolicy {
  readonly #parts: PolicyParts;
  readonly #clock: Clock;

  constructor(parts: PolicyParts) {
    this.#parts = parts;
    this.#clock = parts.clock ?? systemClock;
  }

  /** Returns the policy file as it is now. */
  async read(): Promise<PolicyView> {
    const { file, reload } = this.#parts;
    const isReloaded = reload !== undefined;
    const counts = this.#countRules();
    if (file === undefined) return { file: null, text: '', digest: '', isReloaded, ...counts, error: null };
    try {
      const text = await readTextFile(file);
      return { file, text, digest: computeDigest(text), isReloaded, ...counts, error: null };
    } catch (thrown) {
      return { file, text: '', digest: '', isReloaded, ...counts, error: createErrorView(TenonError.from(thrown)) };
    }
  }

  /** Lists the last decisions, the newest first. */
  list(query: URLSearchParams): DecisionsView {
    const action = query.get('action') ?? '';
    const text = (query.get('text') ?? '').toLowerCase();
    const all = this.#parts.decisions.list().map(describeDecision).reverse();
    const found = all.filter(
      decision => (action === '' || decision.action === action) && toSearchText(decision).includes(text),
    );
    return { count: found.length, decisions: found.slice(0, MAX_SHOWN) };
  }

  /** Lists the decisions about requests in the log of messages, for traces. */
  listTraced(): readonly TracedDecision[] {
    return this.#parts.decisions
      .list()
      .flatMap(({ id, time, served, verdict: { action } }) =>
        served === undefined ? [] : [{ id, time, request: served, action }],
      );
  }

  /** Explains a decision as `tenon policy explain` does, with the policy that was in force. */
  explain(id: number): ExplanationView {
    const found = this.#parts.decisions.get(id);
    if (!found)
      throw new TenonError('console/unknown', `decision ${id}: not in memory`, { hint: 'choose a later decision' });
    const { policy, request, isCut } = found;
    const note = isCut ? '\nThe arguments are too long to be shown.' : '';
    return { decision: describeDecision(found), explanation: policy.explain(request) + note };
  }

  /**
   * Explains the decision about a call of the page. A call that no policy has decided about has none. The served request
   * shows the decision also about a tool that the gateway has renamed, or whose arguments it has changed.
   */
  explainCall(call: DecidedCall): ExplanationView {
    const decisions = this.#parts.decisions.list();
    const found =
      decisions.findLast(({ served }) => served !== undefined && call.messages.includes(served)) ??
      decisions.findLast(decision => isDecisionAbout(decision, call));
    return found ? this.explain(found.id) : NO_DECISION;
  }

  /**
   * Compares the decisions of the policy in force with those of a changed one.
   *
   * @param recording Text of a recording. Default: the decisions about the calls of all callers.
   * @throws TenonError `policy/syntax`, `policy/rule`
   */
  async try(text: unknown, recording?: string): Promise<PolicyTrialView> {
    const changed = parseText(text);
    const current = this.#requireCurrent();
    if (recording !== undefined) {
      const setting = this.#parts.getSetting();
      const parsed = parseRecording(recording);
      const [before, after] = [current, changed].map(policy => evaluateCalls(policy, parsed, setting).calls);
      return toTrialView(compareDecisions(before ?? [], after ?? []), 0);
    }
    const all = this.#parts.decisions.list();
    const decisions = all.filter(({ isCut }) => !isCut);
    const before: RecordedDecision[] = [];
    const after: RecordedDecision[] = [];
    for (const [index, decision] of decisions.entries()) {
      if (index % DECISIONS_PER_TURN === 0) await setImmediate();
      before.push(decide(current, decision));
      after.push(decide(changed, decision));
    }
    return toTrialView(compareDecisions(before, after), all.length - decisions.length);
  }

  /**
   * Writes the policy file, and reads it again.
   *
   * @throws TenonError `console/changed` if the file is not the one that the page has read
   */
  async save({ text, digest }: JsonObject): Promise<PolicyView> {
    parseText(text);
    const { file, reload } = this.#parts;
    this.#requireCurrent();
    if (file === undefined || typeof text !== 'string') throw createNoPolicyError();
    const path = await ensureRealPath(file);
    if (computeDigest(await readTextFile(path)) !== digest)
      throw new TenonError('console/changed', `${file}: the file has changed since it was read`, {
        hint: 'copy your changes, reload the page, and make them again',
      });
    await replaceFile(path, text, this.#clock);
    await reload?.();
    return this.read();
  }

  #countRules(): Pick<PolicyView, 'rules' | 'quotas' | 'fallback'> {
    const { policy } = this.#parts.decisions;
    return {
      rules: policy?.rules.length ?? 0,
      quotas: policy?.quotas.length ?? 0,
      fallback: policy?.fallback ?? 'allow',
    };
  }

  #requireCurrent(): Policy {
    const { policy } = this.#parts.decisions;
    if (policy === undefined) throw createNoPolicyError();
    return policy;
  }
}

const createNoPolicyError = (): TenonError =>
  createUsageError('the gateway has no policy', 'start it with --policy FILE');

function parseText(text: unknown): Policy {
  if (typeof text !== 'string') throw createUsageError('text: expected a text', 'reload the page');
  const { rules, ...options } = parsePolicy(text, CHANGED);
  return createPolicy(rules, options);
}

const computeDigest = (text: string): string => createHash('sha256').update(text).digest('hex');

function decide(policy: Policy, { id, request }: LoggedDecision): RecordedDecision {
  const { kind, server, name } = request;
  const { action, rule, reason } = policy.evaluate(request);
  return { line: id, kind, server, name, action, rule: rule ?? null, reason };
}

function describeDecision({ id, time, request, verdict }: LoggedDecision): DecisionView {
  const { kind, server, name, principal, clientId } = request;
  const { action, rule, reason } = verdict;
  return { id, time, kind, server, name, caller: { principal, clientId }, action, rule: rule ?? null, reason };
}

const toSearchText = ({ server, name, caller, reason }: DecisionView): string =>
  `${server}/${name} ${caller.principal ?? ''} ${reason}`.toLowerCase();

const toTrialView = (
  { calls, changes, counts }: ReturnType<typeof compareDecisions>,
  untried: number,
): PolicyTrialView => ({
  calls,
  counts,
  changed: changes.length,
  changes: changes.slice(0, MAX_SHOWN),
  untried,
});

/** Kinds of the actions that a policy decides about, by the method of the call. */
const KINDS: Readonly<Record<string, string>> = {
  'tools/call': 'tool',
  'prompts/get': 'prompt',
  'resources/read': 'resource',
};

/** Tells if a decision is about a call. Both have the same entry and arguments, and happen at the same time. */
function isDecisionAbout({ time, request, isCut }: LoggedDecision, { view, params }: DecidedCall): boolean {
  const { kind, server, name } = request;
  if (kind !== KINDS[view.method] || server !== view.server) return false;
  if (time < view.startedAt - TOLERANCE) return false;
  if (view.took !== null && time > view.startedAt + view.took + TOLERANCE) return false;
  if (name !== view.name && `${server}__${name}` !== view.name) return false;
  return kind === 'resource' || isCut || toCanonicalJson(request.arguments) === toCanonicalJson(params.arguments ?? {});
}
