import { createSigner, type Signer } from '../../auth/resource/digest.js';
import { TenonError } from '../../jsonrpc/error.js';
import type { Values } from '../../stores/stores.js';
import { quoted } from './problem.js';
import { type Examined, examined, placeOf, type TrustQuestion } from './question.js';
import type { ConfiguredEntry, Origin } from './server-entry.js';

declare const crypto: { getRandomValues(bytes: Uint8Array): Uint8Array };

/** How long a key must be at the least, in bytes. */
const LEAST_KEY = 32;

/**
 * Asks the user. It must show the whole command, or the URL, of the entry before it runs
 * (https://modelcontextprotocol.io/docs/tutorials/security/security_best_practices, Local MCP Server Compromise); the
 * changes alone may be logged.
 */
export type AskTrust = (entry: ConfiguredEntry, question: TrustQuestion) => boolean | Promise<boolean>;

export interface TrustOptions {
  /** Where approvals are kept. */
  readonly values: Values;
  /**
   * 32 bytes or more, kept elsewhere than `values`: what is kept of a secret is hashed with it, so that whoever reads the
   * store can not try secrets out. Default: one for this process, whose approvals no other process believes.
   */
  readonly key?: Uint8Array | undefined;
  /** Absent: what is not approved is refused with `config/not-approved`. */
  readonly ask?: AskTrust | undefined;
}

/** Keeps what a project brings along from running before the user has approved it. */
export interface Trust {
  /**
   * Whether an entry may run. One of the user's own, or of the program, may. One of a project may when it is as it was
   * approved; else the user is asked, each time anew until it is approved. Run the very entry that was approved.
   *
   * @throws TenonError `config/not-approved` when there is nobody to ask.
   */
  approved(entry: ConfiguredEntry): Promise<boolean>;
  /** What is different from what was approved; undefined when nothing is. */
  question(entry: ConfiguredEntry): Promise<TrustQuestion | undefined>;
  /** Approves an entry as it is, for the program that shows it by itself. */
  approve(entry: ConfiguredEntry): Promise<void>;
  /** Takes the approval of the server back, whatever it looks like now. */
  revoke(origin: Pick<Origin, 'file'>, name: string): Promise<void>;
}

/**
 * Remembers which servers of projects were approved. An approval is bound to the file, the name, and all that decides
 * what runs: the command, each argument, each variable and header as it is written, the folder, the URL, what a
 * variable has made of the command or URL, and what is claimed for the server (`trusted`, tools, roots).
 *
 * @throws TenonError `config/trust-key` when the key is too short.
 */
export function createTrust({ values, key, ask }: TrustOptions): Trust {
  if (key && key.length < LEAST_KEY)
    throw new TenonError('config/trust-key', 'the key of approvals is too short', {
      expected: `${LEAST_KEY} bytes or more`,
      got: `${key.length}`,
    });
  let made: Signer | undefined;
  const signer = () => {
    made ??= createSigner(key ?? crypto.getRandomValues(new Uint8Array(LEAST_KEY)));
    return made;
  };
  const examine = (entry: ConfiguredEntry) => examined(entry, signer(), values);
  const underWay = new Map<string, Promise<boolean>>();
  const obtain = async (entry: ConfiguredEntry, { place, record, question }: Examined): Promise<boolean> => {
    if (!question) return true;
    if (!ask) throw notApproved(entry, question);
    const granted = (await ask(entry, question)) === true;
    if (granted) await values.put(place, record);
    return granted;
  };

  return {
    async approved(entry) {
      if (entry.origin?.scope !== 'project') return true;
      const found = await examine(entry);
      // Two that wait for the same answer do not ask twice.
      const id = `${found.place} ${found.record.mark}`;
      const waiting = underWay.get(id);
      if (waiting) return waiting;
      const answer = obtain(entry, found).finally(() => underWay.delete(id));
      underWay.set(id, answer);
      return answer;
    },
    question: async entry => (entry.origin?.scope === 'project' ? (await examine(entry)).question : undefined),
    async approve(entry) {
      if (entry.origin?.scope !== 'project') return;
      const { place, record } = await examine(entry);
      await values.put(place, record);
    },
    async revoke({ file }, name) {
      await values.delete(await placeOf(signer(), file, name));
    },
  };
}

function notApproved({ name, origin }: ConfiguredEntry, { first, changes }: TrustQuestion): TenonError {
  const place = `${origin?.file}:${origin?.line}`;
  const keys = changes.map(({ key }) => key).slice(0, 10);
  const what = first ? 'was never approved' : `is not what was approved: ${keys.join(', ') || 'its parts'}`;
  return new TenonError('config/not-approved', `${place}: the server ${quoted(name)} of this project ${what}`, {
    next: 'read what it runs, then approve it: by `ask`, or `approve(entry)`, of `createTrust`; or take it out of the file',
  });
}
