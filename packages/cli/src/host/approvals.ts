import type { Stores } from 'tenon';
import { type Approvals, type Approver, createApprovals, formatApprovalPrompt } from 'tenon/host';
import type { ChoiceInputs, Terminal } from '../terminal.js';

/** Methods to get an approval for an action that matches an `ask` rule of the policy. */
export const APPROVAL_MODES = ['terminal', 'client', 'store', 'deny'] as const;
export type ApprovalMode = (typeof APPROVAL_MODES)[number];

/** Creates the approvals of a gateway. */
export function createGatewayApprovals(mode: ApprovalMode, terminal: Terminal, { values, bus }: Stores): Approvals {
  switch (mode) {
    case 'terminal':
      return createApprovals({ values, bus, approve: createTerminalApprover(terminal) });
    case 'client':
      return createApprovals({ values, bus, waits: false });
    case 'deny':
      return createApprovals({ values, bus, approve: () => 'deny' });
    case 'store':
      return restrictToOperator(createApprovals({ values, bus }));
  }
}

/** `always` has no short form, because it also allows future calls that the user has not seen. */
const DECISIONS: ChoiceInputs<'once' | 'always' | 'deny'> = {
  once: ['y', 'o', 'once', 'approve', 'allow', 'yes'],
  deny: ['n', 'deny', 'no'],
  always: ['always'],
};

export function createTerminalApprover(terminal: Terminal): Approver {
  return async (proposal, { signal, verdict }) => {
    const { principal, clientId } = proposal;
    const client = clientId === undefined ? '' : `, by the client ${JSON.stringify(clientId)}`;
    const who = principal === undefined ? '' : ` (for ${JSON.stringify(principal)}${client})`;
    const choices = '[y]es, once; [n]o; "always", with any arguments: ';
    const question = `\n${formatApprovalPrompt(proposal, verdict)}${who}\n${choices}`;
    return (await terminal.choose(question, DECISIONS, { signal })) ?? 'deny';
  };
}

/** Removes the approver of the caller, because only the operator may approve. */
function restrictToOperator(approvals: Approvals): Approvals {
  return {
    ...approvals,
    request: (proposal, options) => approvals.request(proposal, { ...options, approve: undefined }),
  };
}
