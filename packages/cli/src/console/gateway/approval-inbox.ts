import { type Clock, stringifyJson, systemClock } from '@tenon/base';
import type {
  ApprovalDecision,
  ApprovalsView,
  PendingApprovalView,
  RememberedApprovalView,
  ToolHint,
} from '@tenon/console/api';
import type { Approvals, PendingApproval, StoredApproval } from '@tenon/host';
import { TenonError, type Tool } from 'tenon';
import { createUsageError } from '../../usage-error.js';
import { getUserName } from '../../user-name.js';
import type { ChangeFeed } from '../change-feed.js';
import { createErrorView } from '../console-calls.js';

/** Time between two readings of the store, in milliseconds. Other processes may answer or add approvals. */
const READ_INTERVAL = 2000;
/** Maximum number of pending and of remembered approvals that the page shows. */
const MAX_SHOWN = 200;

/** Maximum length of the shown description of a tool, in characters. */
const MAX_DESCRIPTION = 2000;
/** Maximum length of the shown arguments, in characters. */
const MAX_ARGUMENTS = 10_000;

/** Parts of the console that the inbox needs. */
interface InboxParts {
  readonly approvals: Pick<Approvals, 'listPending' | 'listStored' | 'answer' | 'forget' | 'watch'>;
  readonly feed: ChangeFeed;
  /** Finds the definition of a tool by its name at the server. */
  readonly findTool: (server: string, name: string) => Tool | undefined;
  readonly clock?: Clock;
}

/**
 * Pending and remembered approvals of all callers of a gateway. They are read from its store, so that an approval may
 * belong to a call of another replica.
 */
export class ApprovalInbox {
  readonly #parts: InboxParts;
  readonly #clock: Clock;
  #sent = '';
  #reading: Promise<void> | undefined;
  #isStale = false;
  #stop = () => {};

  constructor(parts: InboxParts) {
    this.#parts = parts;
    this.#clock = parts.clock ?? systemClock;
  }

  /** Follows the store until `close`. */
  open(): void {
    let isOpen = true;
    let cancelTimer = () => {};
    const unsubscribe = this.#parts.approvals.watch(() => void this.read());
    const readAgain = async () => {
      await this.read();
      if (isOpen) cancelTimer = this.#clock.after(READ_INTERVAL, () => void readAgain());
    };
    this.#stop = () => {
      isOpen = false;
      unsubscribe();
      cancelTimer();
    };
    void readAgain();
  }

  close(): void {
    this.#stop();
  }

  /** Reads the store, and sends the approvals to the pages if they have changed. */
  async read(): Promise<void> {
    this.#isStale = true;
    this.#reading ??= this.#readUntilCurrent().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  /**
   * Answers a pending approval as the user of the command.
   *
   * @throws TenonError `policy/no-pending-approval`, `policy/answered`
   */
  async answer(
    id: string,
    { decision, remember }: { readonly [K in keyof ApprovalDecision]?: unknown },
  ): Promise<void> {
    if (decision !== 'allow' && decision !== 'deny')
      throw createUsageError('decision: expected allow or deny', 'reload the page');
    if (remember !== undefined && remember !== 'exact' && remember !== 'always')
      throw createUsageError('remember: expected exact or always', 'reload the page');
    try {
      await this.#parts.approvals.answer(id, decision, { by: getUserName(), ...(remember ? { remember } : {}) });
    } finally {
      await this.read();
    }
  }

  /** Revokes a remembered approval. */
  async revoke(id: string): Promise<void> {
    const isKnown = await this.#parts.approvals.forget(id);
    await this.read();
    if (!isKnown)
      throw new TenonError('console/unknown', `approval ${id}: no longer remembered`, {
        hint: 'choose an approval of the list',
      });
  }

  async #readUntilCurrent(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      const approvals = await this.#describe();
      const text = stringifyJson(approvals);
      if (text === this.#sent) continue;
      this.#sent = text;
      this.#parts.feed.set('approvals', { type: 'approvals', approvals });
    }
  }

  async #describe(): Promise<ApprovalsView> {
    const { approvals } = this.#parts;
    try {
      const [pending, remembered] = await Promise.all([approvals.listPending(), approvals.listStored()]);
      return {
        count: pending.length,
        pending: pending
          .sort((a, b) => a.askedAt - b.askedAt)
          .slice(0, MAX_SHOWN)
          .map(this.#describePending),
        remembered: remembered
          .sort((a, b) => b.rememberedAt - a.rememberedAt)
          .slice(0, MAX_SHOWN)
          .map(describeRemembered),
        error: null,
      };
    } catch (thrown) {
      return { count: 0, pending: [], remembered: [], error: createErrorView(TenonError.from(thrown)) };
    }
  }

  readonly #describePending = (approval: PendingApproval): PendingApprovalView => {
    const { id, kind, server, name, reason, askedAt, expiresAt, principal, clientId } = approval;
    const text = JSON.stringify(approval.arguments, undefined, 2);
    const tool = kind === 'tool' ? this.#parts.findTool(server, name) : undefined;
    return {
      id,
      kind,
      server,
      name,
      caller: { principal, clientId },
      arguments: text.slice(0, MAX_ARGUMENTS),
      isCut: text.length > MAX_ARGUMENTS,
      reason,
      description: tool?.description?.slice(0, MAX_DESCRIPTION),
      hints: listHints(tool),
      askedAt,
      expiresAt,
    };
  };
}

/** Lists what the annotations of a tool say about its effects. */
function listHints(tool: Tool | undefined): ToolHint[] {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = tool?.annotations ?? {};
  const hints: ToolHint[] = [];
  if (readOnlyHint === true) hints.push('only reads');
  else {
    if (destructiveHint === true) hints.push('may destroy data');
    if (idempotentHint === true) hints.push('has the same effect when repeated');
  }
  if (openWorldHint === true) hints.push('reaches other systems');
  return hints;
}

const describeRemembered = (approval: StoredApproval): RememberedApprovalView => {
  const { id, kind, server, name, digest, match, rememberedAt, expiresAt, principal, clientId } = approval;
  return {
    id,
    kind,
    server,
    name,
    caller: { principal, clientId },
    scope: match !== undefined ? stringifyJson(match) : digest === undefined ? 'any arguments' : 'the same arguments',
    rememberedAt,
    expiresAt,
  };
};
