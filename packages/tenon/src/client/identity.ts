import type { Implementation } from '../model/content.js';
import { version } from '../version.js';
import type { ClientOptions } from './options.js';

/** Who the client says it is. */
export function clientInfo({ name = 'tenon', version: own = version, title, icons }: ClientOptions): Implementation {
  return { name, version: own, ...(title === undefined ? {} : { title }), ...(icons === undefined ? {} : { icons }) };
}
