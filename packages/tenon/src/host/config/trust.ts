import { createSigner, type Signer } from '../../encoding/hmac.js';
import { TenonError } from '../../jsonrpc/error.js';
import type { Values } from '../../stores/stores.js';
import { quoteName } from './problem.js';
import type { ConfiguredEntry, EntryOrigin } from './server-entry.js';
import { examineEntry, getTrustKey, type TrustExamination, type TrustQuestion } from './trust-question.js';

declare const crypto: { getRandomValues(bytes: Uint8Array): Uint8Array };

/** Minimum length of a key, in bytes. */
const MIN_KEY_BYTES = 32;

/**
 * Asks the user. It must show the whole command, or the URL, of the entry before it runs
 * (https://modelcontextprotocol.io/docs/tutorials/security/security_best_practices, Local MCP Server Compromise). Only
 * the changes may be logged.
 */
export type AskTrust = (entry: ConfiguredEntry, question: TrustQuestion) => boolean | Promise<boolean>;

/** Options of `createTrust`. */
export interface TrustOptions {
  /** Store of the approvals. */
  readonly values: Values;
  /**
   * Key of at least 32 bytes, stored apart from `values`. Secrets are stored as keyed hashes, so that a reader of the
   * store cannot guess them. Default: a random key, whose approvals are valid in this process only.
   */
  readonly key?: Uint8Array | undefined;
  /** Absent: what is not approved is refused with `config/not-approved`. */
  readonly ask?: AskTrust | undefined;
}

/** Keeps what a project brings along from running before the user has approved it. */
export interface Trust {
  /**
   * Tells if an entry may run. An entry of the user or of the program may. An entry of a project may if it equals the
   * approved one. Otherwise the user is asked, each time until it is approved. Run exactly the entry that was approved.
   *
   * @throws TenonError `config/not-approved` when no user can be asked.
   */
  isApproved(entry: ConfiguredEntry): Promise<boolean>;
  /** Returns the differences from the approved entry; undefined if there are none. */
  getQuestion(entry: ConfiguredEntry): Promise<TrustQuestion | undefined>;
  /** Approves an entry as it is, for the program that shows it by itself. */
  approve(entry: ConfiguredEntry): Promise<void>;
  /** Revokes the approval of the server, even if its entry has changed. */
  revoke(origin: Pick<EntryOrigin, 'file'>, name: string): Promise<void>;
}

/**
 * Remembers which servers of projects were approved. An approval is bound to the file, the server's name, and
 * everything that decides what runs: command, arguments, environment, headers, folder, URL, and the claims `trusted`,
 * tools and roots.
 *
 * @throws TenonError `config/trust-key` when the key is too short.
 */
export function createTrust({ values, key, ask }: TrustOptions): Trust {
  if (key && key.length < MIN_KEY_BYTES)
    throw new TenonError('config/trust-key', 'the approval key is too short', {
      expected: `at least ${MIN_KEY_BYTES} bytes`,
      received: `${key.length}`,
    });
  let made: Signer | undefined;
  const getSigner = () => {
    made ??= createSigner(key ?? crypto.getRandomValues(new Uint8Array(MIN_KEY_BYTES)));
    return made;
  };
  const examine = (entry: ConfiguredEntry) => examineEntry(entry, getSigner(), values);
  const inProgress = new Map<string, Promise<boolean>>();
  const requestApproval = async (
    entry: ConfiguredEntry,
    { key: place, record, question }: TrustExamination,
  ): Promise<boolean> => {
    if (!question) return true;
    if (!ask) throw createNotApprovedError(entry, question);
    const granted = (await ask(entry, question)) === true;
    if (granted) await values.put(place, record);
    return granted;
  };

  return {
    async isApproved(entry) {
      if (entry.origin?.scope !== 'project') return true;
      const found = await examine(entry);
      // Concurrent requests for the same answer share one prompt.
      const id = `${found.key} ${found.record.mark}`;
      const waiting = inProgress.get(id);
      if (waiting) return waiting;
      const answer = requestApproval(entry, found).finally(() => inProgress.delete(id));
      inProgress.set(id, answer);
      return answer;
    },
    getQuestion: async entry => (entry.origin?.scope === 'project' ? (await examine(entry)).question : undefined),
    async approve(entry) {
      if (entry.origin?.scope !== 'project') return;
      const { key: place, record } = await examine(entry);
      await values.put(place, record);
    },
    async revoke({ file }, name) {
      await values.delete(await getTrustKey(getSigner(), file, name));
    },
  };
}

function createNotApprovedError({ name, origin }: ConfiguredEntry, { first, changes }: TrustQuestion): TenonError {
  const place = `${origin?.file}:${origin?.line}`;
  const keys = changes.map(({ key }) => key).slice(0, 10);
  const problem = first
    ? 'was not approved yet'
    : `has changed since its approval: ${keys.join(', ') || 'its definition'}`;
  return new TenonError('config/not-approved', `${place}: the project server ${quoteName(name)} ${problem}`, {
    hint: 'review the entry and approve it with `ask` or `approve(entry)` of `createTrust`, or remove it from the file',
  });
}
