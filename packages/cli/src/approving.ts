import type { Stores } from 'tenon';
import { type Approvals, type Approver, createApprovals, questionText } from 'tenon/host';
import type { ChoiceWords, Terminal } from './terminal.js';

/** Who is asked about what the policy does not decide. */
export const MANNERS = ['terminal', 'client', 'store', 'deny'] as const;
export type Manner = (typeof MANNERS)[number];

/** How a gateway has such questions answered. */
export function approvalsBy(manner: Manner, terminal: Terminal, { values, bus }: Stores): Approvals {
  switch (manner) {
    case 'terminal':
      return createApprovals({ values, bus, approve: atTerminal(terminal) });
    case 'client':
      return createApprovals({ values, bus, waits: false });
    case 'deny':
      return createApprovals({ values, bus, approve: () => 'deny' });
    case 'store':
      return byOperator(createApprovals({ values, bus }));
  }
}

/** `always` has no short form, because it allows calls that nobody has seen yet. */
const DECISIONS: ChoiceWords<'once' | 'always' | 'deny'> = {
  once: ['y', 'o', 'once', 'approve', 'allow', 'yes'],
  deny: ['n', 'deny', 'no'],
  always: ['always'],
};

export function atTerminal(terminal: Terminal): Approver {
  return async (proposal, { signal, verdict }) => {
    const { principal, clientId } = proposal;
    const client = clientId === undefined ? '' : `, by the client ${JSON.stringify(clientId)}`;
    const who = principal === undefined ? '' : ` (for ${JSON.stringify(principal)}${client})`;
    const choices = '[y]es, once; [n]o; "always", with any arguments: ';
    const question = `\n${questionText(proposal, verdict)}${who}\n${choices}`;
    return (await terminal.choose(question, DECISIONS, { signal })) ?? 'deny';
  };
}

/** Callers can not answer for themselves what is the operator's to answer. */
function byOperator(approvals: Approvals): Approvals {
  return { ...approvals, obtain: (proposal, options) => approvals.obtain(proposal, { ...options, ask: undefined }) };
}
