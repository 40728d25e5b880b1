import { TenonError, toPublicText } from '@tenon/base';

const URLS = /[a-z][a-z0-9+.-]*:\/\/[^\s"'“”()]+/gi;
const HIDDEN_TEXT = '…';
const NETWORK = /^(?:http|session|auth|config|connection)\//;

/** Next step for a server that requires a sign-in, where no person uses a browser. */
export const SERVICE_ACCOUNT_ADVICE =
  'For a service account, set `auth` of the server, or serve it by `tenon bridge --auth client-credentials`';

/**
 * Describes the state of a server for callers. Only the operator of the host may see its stderr, address and command,
 * and the error texts of other libraries.
 */
export function describePublicly(error: TenonError): string {
  const { code, summary } = error;
  if (code === 'auth/needs-user')
    return `it requires a sign-in, and this host cannot open a browser. ${SERVICE_ACCOUNT_ADVICE}`;
  if (code.startsWith('store/')) return 'the store of the host does not respond';
  if (listForeignTexts(error).some(text => summary.includes(text))) return 'it cannot be reached';
  const [first = ''] = summary.split('\n');
  // The rest is the text of the platform or of another server.
  const firstLine = NETWORK.test(code) ? first.replace(/: .*/, '') : first;
  // A clause with a colon at its end introduces the lines that are left out, such as those of stderr.
  const publicText = firstLine.replace(/: [^:]*:$/, '');
  return toPublicText(describeMember(error, publicText).replace(URLS, HIDDEN_TEXT));
}

/** Names the method and the member of an invalid result. The pointer to a member would look like a path of a file. */
function describeMember({ code, method }: TenonError, text: string): string {
  if (code !== 'peer/invalid-result' || method === undefined) return text;
  return `${method}: ${text.replace(/\bat \/([^\s:]+):/, (_, pointer: string) => `member ${pointer.replaceAll('/', '.')}:`)}`;
}

/** Returns the texts of the causes of an error that other libraries have created. */
function listForeignTexts(error: Error): readonly string[] {
  const { cause } = error;
  if (!(cause instanceof Error)) return [];
  const own = TenonError.is(cause) || cause.message === '' ? [] : [cause.message];
  return [...own, ...listForeignTexts(cause)];
}
