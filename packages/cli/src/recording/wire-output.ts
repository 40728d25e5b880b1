import type { ClientOptions } from 'tenon';
import { redactMessage } from 'tenon/testing';
import type { CliContext } from '../cli-context.js';
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
  /** Display name of the server. */
  readonly label: string;
}

/** Opens the outputs for the messages of one command. Secrets are removed from both. */
export function openWireOutput(context: CliContext, { file, print, label }: WireOutputOptions): WireOutput {
  const recording = file === undefined ? undefined : openRecordingFile(context, file, { server: toServerName(label) });
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

/** Returns a name for the server of a target: the host of a URL, or the last part of a command or path. */
export function toServerName(label: string): string {
  if (/^https?:/.test(label)) return new URL(label).host;
  const words = label.split(' ').filter(word => !word.startsWith('-'));
  const last = words.at(-1)?.split(/[\\/]/).at(-1) ?? 'server';
  return last.replace(/[^\w.-]/g, '').slice(0, MAX_NAME) || 'server';
}

const MAX_NAME = 64;
