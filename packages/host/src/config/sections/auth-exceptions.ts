import { TenonError } from '@tenon/base';
import type { AuthExceptions } from 'tenon/auth';
import { checkExceptions } from 'tenon/host-internals';
import { type EntryParser, reportWrongKind } from '../entry-parser.js';
import type { EntryOrigin } from '../server-entry.js';

/**
 * Reads the exceptions of the authorization of a server. Only the user's own configuration may have them, because each
 * one removes a protection. An approval of the entry does not change that.
 */
export function readAuthExceptions(
  parser: EntryParser,
  scope: EntryOrigin['scope'] | undefined,
): AuthExceptions | undefined {
  const spot = parser.members.get('authExceptions');
  if (!spot) return undefined;
  if (scope !== 'user')
    return parser.reportError(
      'config/user-only',
      spot,
      '`authExceptions` in a file that is not your own configuration',
      {
        expected: 'it only in your own configuration, because each exception removes a protection',
        hint: 'move the server to a configuration file of yours, or remove the key',
      },
    );
  if (spot.kind !== 'object') return reportWrongKind(parser, spot, 'an object');
  const exceptions = Object.fromEntries([...spot.members].map(([name, { value }]) => [name, value]));
  try {
    checkExceptions(exceptions);
    return exceptions;
  } catch (error) {
    const { summary, expected, received, hint } = TenonError.from(error);
    return parser.reportError('config/shape', spot, summary, { expected, received, hint });
  }
}
