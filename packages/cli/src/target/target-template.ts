import type { ConfiguredEntry } from '@tenon/host';
import { isBundlePath } from '../mcpb/is-bundle-path.js';

/**
 * Returns a target of a configuration with the texts that the user wrote, before variables got their values.
 * `undefined` for one that needs this command or files of this machine: an OpenAPI document, a bundle, or a file of variables.
 */
export function createTemplate({ target, written = {} }: ConfiguredEntry): ConfiguredEntry['target'] | undefined {
  // Other programs do not serve documents.
  if ('url' in target && target.transport === 'openapi') return undefined;
  if (written.envFile !== undefined || isBundlePath(written.command ?? '')) return undefined;
  const read = (key: string, text: string) => written[key] ?? text;
  const readMembers = (kind: string, members: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(Object.entries(members).map(([name, text]) => [name, read(`${kind}.${name}`, text)]));
  if ('url' in target)
    return { ...target, url: read('url', target.url), headers: readMembers('headers', target.headers) };
  return {
    ...target,
    command: read('command', target.command),
    args: target.args?.map((each, index) => read(`args[${index}]`, each)),
    env: readMembers('env', target.env),
  };
}
