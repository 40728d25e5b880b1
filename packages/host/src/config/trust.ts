import {
  checkValues,
  createSigner,
  requireArgument,
  requireKnownOptions,
  type Signer,
  TenonError,
  toRecordValues,
  type Values,
} from '@tenon/base';
import { quoteName } from './config-finding.js';
import type { ConfiguredEntry, EntryOrigin } from './server-entry.js';
import { examineEntry, getTrustKey, type TrustExamination, type TrustQuestion } from './trust-question.js';

declare const crypto: { getRandomValues(bytes: Uint8Array): Uint8Array };

/** Minimum length of a key, in bytes. */
const MIN_KEY_BYTES = 32;

/**
 * Asks the user to approve an entry. It must show the whole command or URL before the server runs. Only the changes may
 * be logged.
 *
 * @see https://modelcontextprotocol.io/docs/tutorials/security/security_best_practices (Local MCP Server Compromise)
 */
export type AskTrust = (entry: ConfiguredEntry, question: TrustQuestion) => boolean | Promise<boolean>;

/** Options of `createTrust`. */
export interface TrustOptions {
  /** Store for approvals. */
  readonly values: Values;
  /**
   * Key of at least 32 bytes that hashes secrets, so that a reader of the store cannot guess them. Store it apart
   * from `values`.
   * @default a random key, with which approvals are valid in this process only
   */
  readonly key?: Uint8Array | undefined;
  /**
   * Asks the user to approve an entry.
   * @default none, and an entry that is not approved is rejected with `config/not-approved`
   */
  readonly ask?: AskTrust | undefined;
}

/** Approvals of project servers, which must not run before the user has approved them. */
export interface Trust {
  /**
   * Tells if an entry may run. An entry of the user or of the program may always run. A project entry may run if it
   * equals the approved one.
   *
   * Otherwise the user is asked, each time until the entry is approved. Run exactly the entry that was approved.
   *
   * @throws TenonError `config/not-approved` when no user can be asked.
   */
  isApproved(entry: ConfiguredEntry): Promise<boolean>;
  /** Returns the differences from the approved entry. Resolves with `undefined` if there are none. */
  getQuestion(entry: ConfiguredEntry): Promise<TrustQuestion | undefined>;
  /** Approves an entry. Use it in programs that show the entry to the user themselves. */
  approve(entry: ConfiguredEntry): Promise<void>;
  /** Revokes the approval of the server, even if its entry has changed. */
  revoke(origin: Pick<EntryOrigin, 'file'>, name: string): Promise<void>;
}

/**
 * Stores which project servers are approved. An approval is bound to the file, the server's name, and everything that
 * decides which program runs. That includes command, arguments, environment, headers, folder, URL, `trusted`, tools and
 * roots.
 *
 * @throws TenonError `config/trust-key` when the key is too short.
 */
export function createTrust(options: TrustOptions): Trust {
  requireKnownOptions('createTrust', options, { values: true, key: true, ask: true });
  const { values: rawValues, key, ask } = options;
  requireArgument('`values` of createTrust', rawValues, checkValues);
  const values = toRecordValues(rawValues);
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
      // Concurrent requests for the same approval share one prompt.
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
  const reason = first
    ? 'was not approved yet'
    : `has changed since its approval: ${keys.join(', ') || 'its definition'}`;
  return new TenonError('config/not-approved', `${place}: the project server ${quoteName(name)} ${reason}`, {
    hint: 'review the entry and approve it with `ask` or `approve(entry)` of `createTrust`, or remove it from the file',
  });
}
