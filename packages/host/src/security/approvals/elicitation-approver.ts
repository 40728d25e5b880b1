import { checkObject, checkString, createExcerpt, requireArgument, stringifyJson } from '@tenon/base';
import type { Context } from 'tenon';
import type { ActionRequest, PolicyVerdict } from '../policy/action-request.js';
import { maskArguments } from '../policy/mask-arguments.js';
import type { Approver } from './decision.js';

const DECISION_SCHEMA = {
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

/** Maximum number of characters of the arguments that a prompt shows. */
const MAX_ARGUMENTS = 2000;

/** Creates an approver that asks the user of a client with a form. Closing the form denies the action. */
export function createElicitationApprover(context: Pick<Context, 'elicit'>): Approver {
  return async (request, { verdict }) => {
    const answer = await context.elicit({ message: formatApprovalPrompt(request, verdict), input: DECISION_SCHEMA });
    if (answer.action !== 'accept') return 'deny';
    const { decision } = answer.content;
    return decision === 'once' || decision === 'always' ? decision : 'deny';
  };
}

const ACTION_TEXTS = {
  tool: 'call the tool',
  resource: 'read the resource',
  prompt: 'use the prompt',
  method: 'call the method',
} as const;

/** Describes an action for a person. Masks secrets, and escapes text that imitates other text. */
export function formatApprovalPrompt(request: ActionRequest, verdict?: PolicyVerdict): string {
  requireArgument(
    '`request` of formatApprovalPrompt',
    request,
    checkObject({ kind: checkString, server: checkString, name: checkString, arguments: checkObject() }),
  );
  const { kind, server, name, arguments: args } = request;
  const what = `Allow to ${ACTION_TEXTS[kind]} ${createExcerpt(name)} of ${createExcerpt(server)}?`;
  const shown =
    Object.keys(args).length === 0 ? [] : [createExcerpt(stringifyJson(maskArguments(args)), MAX_ARGUMENTS)];
  return [what, ...shown, ...(verdict ? [`(${createExcerpt(verdict.reason, 700)})`] : [])].join('\n');
}
