import type { AuthInfo } from '@tenon/base';
import type { Id, JsonRpcRequest } from '../../../jsonrpc/message.js';
import type { ListName } from '../../../protocol/lists.js';
import type { SessionState } from '../../../protocol/request-handler.js';
import type { ProcessChannel, SentError } from '../workers/messages.js';

/** Context of a message of a client, as it crosses the channel. */
export interface SentContext {
  readonly auth?: AuthInfo | undefined;
  readonly address?: string | undefined;
  readonly relatedTo?: Id | undefined;
  /** Headers of the HTTP request, by lower-case names. Absent on transports without headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A transport of a client, as the process of the server needs it. */
export interface SentTransport {
  readonly peer: string;
  readonly sessionId: string | undefined;
  readonly network?: 'pipe' | 'tcp' | undefined;
  readonly requestIdPrefix: string;
  /** True if the transport can end the stream of a request early. */
  readonly closesStreams: boolean;
  /** True if the transport must know which requests get no response. */
  readonly abandonsResponses: boolean;
}

/** Fingerprints of the lists of a server. They differ when the lists differ. */
export type ListFingerprints = Readonly<Record<ListName, string>>;

/** Message to the process of a server. The member `server` separates it from messages of the program. */
export type MessageToServer =
  | {
      readonly server: 'open';
      readonly session: number;
      readonly transport: SentTransport;
      readonly auth: AuthInfo | undefined;
      readonly address: string | undefined;
      /** The session, if the client opened it in another process. */
      readonly state: SessionState | undefined;
    }
  | { readonly server: 'message'; readonly session: number; readonly value: unknown; readonly context: SentContext }
  | {
      readonly server: 'parse-error';
      readonly session: number;
      readonly error: SentError;
      readonly id?: Id | undefined;
    }
  | { readonly server: 'response-lost'; readonly session: number; readonly id: Id; readonly error: SentError }
  | { readonly server: 'end-listening'; readonly session: number }
  | { readonly server: 'end'; readonly session: number }
  | { readonly server: 'closed'; readonly session: number; readonly error: SentError | undefined }
  | {
      readonly server: 'request';
      readonly id: number;
      readonly request: JsonRpcRequest;
      readonly context: SentContext;
      readonly ephemeral: boolean;
    }
  | { readonly server: 'client-closed'; readonly id: number }
  | { readonly server: 'shutdown'; readonly id: number }
  | { readonly server: 'read-lists' }
  | { readonly server: 'notify-changes'; readonly lists: readonly ListName[]; readonly uris: readonly string[] }
  | { readonly server: 'stop' };

/** Message from the process of a server. Messages of the protocol are JSON text, because values may have `toJSON`. */
export type MessageFromServer =
  | { readonly server: 'ready' }
  | { readonly server: 'state'; readonly session: number; readonly state: SessionState }
  | { readonly server: 'send'; readonly session: number; readonly text: string; readonly relatedTo: Id | undefined }
  | { readonly server: 'abandon-response'; readonly session: number; readonly id: Id }
  | { readonly server: 'close-stream'; readonly session: number; readonly id: Id }
  | { readonly server: 'close-session'; readonly session: number }
  | { readonly server: 'notify'; readonly id: number; readonly text: string }
  | { readonly server: 'respond'; readonly id: number; readonly text: string }
  | { readonly server: 'lists'; readonly lists: ListFingerprints | undefined };

export type ChannelToServer = ProcessChannel<MessageToServer, MessageFromServer>;
export type ChannelToParent = ProcessChannel<MessageFromServer, MessageToServer>;
