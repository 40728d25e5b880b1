import type { TenonError } from '../../jsonrpc/error.js';

/** What callers are told of what happened to a server: what it wrote to stderr is for whoever runs the host. */
export function shown({ summary }: TenonError): string {
  const [first = ''] = summary.split('\n');
  return first.replace(/(: its last words:|: and wrote nothing to stderr)$/, '');
}
