import { TenonError } from '@tenon/base';
import { readTextFile } from '@tenon/base/node';
import { createPolicy, type Policy } from '../../security/policy/policy.js';
import { parsePolicy } from '../../security/policy/policy-file.js';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no file',
  ENOTDIR: 'no file',
  EISDIR: 'a folder',
  EACCES: 'a file without read permission',
};

/**
 * Reads a policy from a file.
 * @param shownPath Path in errors.
 * @throws TenonError `policy/unreadable` when the file cannot be read, and the errors of `parsePolicy`.
 */
export async function readPolicyFile(path: string, shownPath = path): Promise<Policy> {
  let text: string;
  try {
    text = await readTextFile(path);
  } catch (cause) {
    const { code = 'another error' } = cause as NodeJS.ErrnoException;
    throw new TenonError('policy/unreadable', `cannot read the policy ${shownPath}`, {
      expected: 'a policy file',
      received: REASONS[code] ?? code,
      hint: 'check the path',
      cause,
    });
  }
  const { rules, ...options } = parsePolicy(text, shownPath);
  return createPolicy(rules, options);
}
