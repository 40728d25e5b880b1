/** Session of a transport that other processes use too. */
export interface TransportSession {
  /** Prefix of the IDs of sent requests. */
  readonly requestIdPrefix: string;
  /** ID and protocol version of the session to continue. Absent for a transport that opens a session. */
  readonly continued?: { readonly id: string; readonly versionHeader: string | undefined } | undefined;
  /** Tells if another process may continue the session. Closing the transport then does not end it. */
  isContinued(): boolean;
  /** Called when the standalone stream was opened after another process had it. */
  onStreamTaken(): void;
}
