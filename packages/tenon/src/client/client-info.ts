import type { Implementation } from '../protocol/content.js';
import { version } from '../version.js';
import type { ClientOptions } from './options.js';

/** Returns the name and version that the client sends to servers. */
export function createClientInfo({
  name = 'tenon',
  version: ownVersion = version,
  title,
  icons,
}: ClientOptions): Implementation {
  return {
    name,
    version: ownVersion,
    ...(title === undefined ? {} : { title }),
    ...(icons === undefined ? {} : { icons }),
  };
}
