import { type Approvals, type Approver, createApprovals, formatApprovalPrompt } from '@tenon/host';
import type { Stores } from 'tenon';
import type { SelectOption, Terminal } from '../terminal.js';

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

/** The first decision is selected initially. */
const DECISIONS: readonly SelectOption<'once' | 'always' | 'deny'>[] = [
  { value: 'deny', label: 'No' },
  { value: 'once', label: 'Yes, once' },
  { value: 'always', label: 'Yes, always, with any arguments' },
];

export function createTerminalApprover(terminal: Terminal): Approver {
  return async (request, { signal, verdict }) => {
    const { principal, clientId } = request;
    const client = clientId === undefined ? '' : `, by the client ${JSON.stringify(clientId)}`;
    const who = principal === undefined ? '' : ` (for ${JSON.stringify(principal)}${client})`;
    const details = `\n${formatApprovalPrompt(request, verdict)}${who}`;
    return (await terminal.select({ message: 'Allow it?', details, options: DECISIONS, signal })) ?? 'deny';
  };
}

/** Removes the approver of the caller, because only the operator may approve. */
function restrictToOperator(approvals: Approvals): Approvals {
  return {
    ...approvals,
    request: (request, options) => approvals.request(request, { ...options, approve: undefined }),
  };
}
