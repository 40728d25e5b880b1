import { stringifyJson } from '@tenon/base';
import { type Shell, shells } from '@tenon/base/writers';
import type { CallCopy, CopyFormat } from '@tenon/console/api';
import type { JsonObject, Tool } from 'tenon';
import type { ResolvedTarget } from '../../target/resolve-target.js';
import type { TargetOptions } from '../../target/target-options.js';
import type { TargetReference } from '../../target/target-reference.js';
import { createUsageError } from '../../usage-error.js';
import { SecretMarkers } from './secret-markers.js';

/** A call, and the server that it went to. */
export interface CopiedCall {
  readonly method: string;
  readonly params: JsonObject;
  /** The params without secrets. */
  readonly redacted: JsonObject;
  readonly protocolVersion: string;
  /** The only version that the user has allowed. */
  readonly requestedVersion: string | null;
  readonly tool: Tool | undefined;
  /** The server as the user named it. Absent for a server of another command, which is named by its target. */
  readonly reference: TargetReference | undefined;
  readonly target: ResolvedTarget['target'];
  readonly options: TargetOptions;
}

const FORMATS: readonly CopyFormat[] = ['curl', 'tenon', 'json', 'typescript'];

export const isCopyFormat = (text: string | null): text is CopyFormat => FORMATS.some(each => each === text);
export const isShell = (text: string | null): text is Shell => shells.some(each => each === text);

/** Writes a call for another program. Secrets are named variables in it. */
export async function copyCall(call: CopiedCall, format: CopyFormat, shell: Shell): Promise<CallCopy> {
  const markers = new SecretMarkers();
  const { method, target, tool, protocolVersion, requestedVersion: version } = call;
  const hidden = markers.hide(call.params, call.redacted, 'SECRET');
  const params: JsonObject = { ...Object(hidden) };
  const write = async (): Promise<string> => {
    switch (format) {
      case 'json':
        return `${stringifyJson({ method, params: call.redacted }, 2)}\n`;
      case 'tenon': {
        const { writeCallLine, referToTarget } = await import('./write-call-line.js');
        const { reference, options } = call;
        if (reference) return writeCallLine({ reference, options, version, method, params, tool }, markers, shell);
        if (!('url' in target) && !('command' in target))
          throw createUsageError(
            'the server belongs to another command',
            'copy it as JSON, or open the server by itself',
          );
        const named = referToTarget(target, options, markers);
        return writeCallLine({ ...named, version, method, params, tool }, markers, shell);
      }
      case 'typescript': {
        if (!('url' in target) && !('command' in target))
          throw createUsageError('the server has no address of its own', 'copy it as JSON');
        const { writeTypescript } = await import('./write-typescript.js');
        return writeTypescript({ target, version, method, params, tool }, markers);
      }
      case 'curl': {
        if (!('url' in target)) throw createUsageError('curl needs a server at a URL', 'copy it as a line of tenon');
        if (target.transport === 'http-sse')
          throw createUsageError('curl cannot call over HTTP+SSE', 'copy it as a line of tenon');
        const { writeCurl } = await import('./write-curl.js');
        return writeCurl({ target, protocolVersion, method, params, tool }, markers, shell);
      }
    }
  };
  const text = await write();
  return { text, variables: format === 'json' ? [] : markers.names };
}
