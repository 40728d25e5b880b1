import { execFile } from 'node:child_process';
import { checkBrowserUrl } from '@tenon/base';

/** A program and its arguments. It runs without a shell, because a shell could execute parts of a URL. */
export interface BrowserCommand {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * Returns the command that opens a URL on a platform. Throws `auth/unsafe-url` for a URL that is neither `https:` nor
 * `http:` on loopback.
 */
export function getBrowserCommand(url: string | URL, platform: string = process.platform): BrowserCommand {
  // `URL` keeps these characters, and a shell would interpret them, because some openers are shell scripts. For a server,
  // an escaped character is the same.
  const href = checkBrowserUrl(url).href.replace(
    /[`$()'|\\^{};!*<>"]/g,
    each => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  if (platform === 'darwin') return { file: 'open', args: [href] };
  if (platform === 'win32') return { file: 'rundll32', args: ['url.dll,FileProtocolHandler', href] };
  return { file: 'xdg-open', args: [href] };
}

/**
 * Opens a URL in the user's browser. Resolves to false when no browser can be started.
 * @throws TenonError `auth/unsafe-url` for a URL that is not `https:` or loopback.
 */
export function openBrowser(url: string | URL): Promise<boolean> {
  const { file, args } = getBrowserCommand(url);
  return new Promise(resolve => {
    const child = execFile(file, args, { shell: false, windowsHide: true }, error => resolve(error === null));
    child.unref();
  });
}
