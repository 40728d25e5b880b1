import { TenonError } from '../jsonrpc/error.js';
import { isMethod, type MethodName, methods } from '../model/methods.js';
import { describeIssues, type Issue } from '../schemas/issues.js';
import type { Link } from './link.js';

/** Refuses, before anything is sent, what the server can only refuse. */
export function gate(link: Link, method: MethodName): void {
  const { dialect } = link;
  const { from } = methods[method];
  if (from === 'server' || !dialect.vocabulary.client.has(method)) {
    throw new TenonError('call/not-in-revision', `revision ${dialect.revision} has no ${method}`, {
      peer: link.peer,
      method,
      next: NEXT[method] ?? 'look at `client.server.revision` before calling it',
    });
  }
  const needs = needed(link, method);
  if (needs === undefined) return;
  throw new TenonError('call/not-offered', `the server does not offer ${needs}`, {
    peer: link.peer,
    method,
    next: 'look at `client.server.capabilities` before calling it',
  });
}

/** What the server would have to offer, and does not. */
function needed(link: Link, method: MethodName): string | undefined {
  const { needs, extension } = methods[method];
  if (needs !== undefined && !link.offers(needs)) return needs;
  if (extension === undefined) return undefined;
  if (link.dialect.tasks === 'by-extension')
    return Object.hasOwn(link.server.capabilities.extensions ?? {}, extension) ? undefined : extension;
  const part = PARTS[method] ?? 'tasks';
  return link.offers(part) ? undefined : part;
}

/** What is declared of tasks where they are no extension. */
const PARTS: { readonly [method: string]: string | undefined } = {
  'tasks/list': 'tasks.list',
  'tasks/cancel': 'tasks.cancel',
};

const NEXT: { readonly [method: string]: string | undefined } = {
  'logging/setLevel': 'use `client.setLogLevel`, which works in every revision',
  'resources/subscribe': 'use `client.watch`, which works in every revision',
  'subscriptions/listen': 'use `client.watch`, which works in every revision',
  ping: 'use `client.ping`, which works in every revision',
};

const WRITING: ReadonlySet<string> = new Set(['tools/call', 'sampling/createMessage', 'elicitation/create']);

/** Whether a method only reads, so that sending it twice does no harm. Of methods that are not known, nothing is known. */
export function isReading(method: string): boolean {
  return isMethod(method) && !WRITING.has(method);
}

export function misfit({ peer }: Link, tool: string, issues: readonly Issue[]): TenonError {
  return new TenonError(
    'peer/invalid-result',
    `the result of "${tool}" does not fit its outputSchema: ${describeIssues(issues)}`,
    {
      peer,
      method: 'tools/call',
      next: 'the server breaks its own contract; connect with `validate: "warn"` to accept it',
    },
  );
}
