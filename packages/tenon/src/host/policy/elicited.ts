import type { Context } from '../../server/context.js';
import type { Approver } from './decision.js';
import { masked, visible } from './masked.js';
import type { Proposal, Verdict } from './proposal.js';

const FORM = {
  type: 'object',
  properties: {
    decision: {
      type: 'string',
      title: 'Decision',
      oneOf: [
        { const: 'once', title: 'Allow once' },
        { const: 'always', title: 'Allow always, with any arguments' },
        { const: 'deny', title: 'Do not allow' },
      ],
    },
  },
  required: ['decision'],
} as const;

/** How much of the arguments a question shows, in characters. */
const MAX_ARGUMENTS = 2000;

/** Asks the user of a client by a form. Whoever closes it has not allowed anything. */
export function elicited(context: Pick<Context, 'elicit'>): Approver {
  return async (proposal, { verdict }) => {
    const answer = await context.elicit({ message: questionText(proposal, verdict), input: FORM });
    if (answer.action !== 'accept') return 'deny';
    const { decision } = answer.content;
    return decision === 'once' || decision === 'always' ? decision : 'deny';
  };
}

const verbs = {
  tool: 'call the tool',
  resource: 'read the resource',
  prompt: 'use the prompt',
  method: 'call the method',
} as const;

/** What is to be allowed, in words: nothing secret is in it, and nothing that looks like something else. */
export function questionText({ kind, server, name, arguments: args }: Proposal, verdict?: Verdict): string {
  const what = `Allow to ${verbs[kind]} ${visible(name)} of ${visible(server)}?`;
  const shown = Object.keys(args).length === 0 ? [] : [visible(JSON.stringify(masked(args)), MAX_ARGUMENTS)];
  return [what, ...shown, ...(verdict ? [`(${visible(verdict.reason, 700)})`] : [])].join('\n');
}
