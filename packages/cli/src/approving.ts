import type { Stores } from 'tenon';
import { type Approvals, type Approver, createApprovals, questionText } from 'tenon/host';
import type { Terminal } from './terminal.js';

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

function atTerminal(terminal: Terminal): Approver {
  return async (proposal, { signal, verdict }) => {
    const { principal } = proposal;
    const who = principal === undefined ? '' : ` (for ${JSON.stringify(principal)})`;
    const question = `\n${questionText(proposal, verdict)}${who}\n[o]nce, [a]lways with any arguments, [n]o: `;
    const answer = await terminal.choose(question, ['o', 'a', 'n'], { signal });
    if (answer === 'o') return 'once';
    return answer === 'a' ? 'always' : 'deny';
  };
}

/** Callers can not answer for themselves what is the operator's to answer. */
function byOperator(approvals: Approvals): Approvals {
  return { ...approvals, obtain: (proposal, options) => approvals.obtain(proposal, { ...options, ask: undefined }) };
}
