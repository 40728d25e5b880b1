/** Text that replaces a path. */
const HIDDEN_PATH = '…';
const FILE_URLS = /\bfile:\/\/[^\s"'“”()`]+/gi;
const PATHS = /(^|[\s"'“(=,:;<>[{|`])(?:~?\/(?!\/)|\.{1,2}[\\/]|[a-z]:[\\/](?!\/)|\\\\)[^\s"'“”()`]+/gi;

/** Removes paths of files from a text. The path of an `http` URL stays. */
export function redactPaths(text: string): string {
  return text.replace(FILE_URLS, HIDDEN_PATH).replace(PATHS, `$1${HIDDEN_PATH}`);
}
