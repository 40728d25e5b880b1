import { redactMessage } from '@tenon/testing';
import type { ClientOptions } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { formatCommandLabel, type ResolvedTarget } from '../target/resolve-target.js';
import { isServerPath } from '../target/target-reference.js';
import { formatWireMessage } from './format-wire-message.js';
import { openRecordingFile } from './recording-file.js';

type OnMessage = NonNullable<ClientOptions['onMessage']>;

/** Outputs for the messages of the protocol. */
export interface WireOutput {
  readonly onMessage: OnMessage;
  close(): void;
}

export interface WireOutputOptions {
  /** File for a recording. */
  readonly file: string | undefined;
  /** Prints each message on standard error. */
  readonly print: boolean;
  readonly server: ResolvedTarget;
}

/** Opens the outputs for the messages of one command. Secrets are removed from both. */
export function openWireOutput(context: CliContext, { file, print, server }: WireOutputOptions): WireOutput {
  const recording = file === undefined ? undefined : openRecordingFile(context, file, { server: toServerName(server) });
  const session = recording?.recorder.openSession();
  const listeners: OnMessage[] = [...(session ? [session.onMessage] : []), ...(print ? [createPrinter(context)] : [])];
  return {
    onMessage(from, message, relatedTo) {
      for (const listener of listeners) listener(from, message, relatedTo);
    },
    close() {
      session?.close();
      recording?.close();
    },
  };
}

const createPrinter =
  ({ screen }: CliContext): OnMessage =>
  (from, message) => {
    const messages = 'length' in message ? message : [message];
    for (const each of messages) screen.note(formatWireMessage(from, redactMessage(each)), 'debug');
  };

/**
 * Returns a name for the server of a target: the host of a URL, the last part of a path, or the script or program of a
 * command. The other arguments of a command are not used, because they may be secrets.
 */
export function toServerName({ target, label }: ResolvedTarget): string {
  if (/^https?:/.test(label)) return new URL(label).host;
  const isCommand = 'command' in target && label === formatCommandLabel(target);
  const isServer = (arg: string, at: number, all: readonly string[]) =>
    isServerPath(arg) && !LOADER_OPTIONS.has(all[at - 1] ?? '');
  const source = isCommand ? (target.args?.find(isServer) ?? target.command) : label;
  const last = source.split(/[\\/]/).at(-1) ?? '';
  return last.replace(/[^\w.-]/g, '').slice(0, MAX_NAME) || 'server';
}

/** Options of Node whose value is a module that is loaded before the script. */
const LOADER_OPTIONS = new Set(['--import', '--require', '-r', '--loader', '--experimental-loader']);
const MAX_NAME = 64;
