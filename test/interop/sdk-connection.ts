import type { ConnectedSdkClient } from './sdk-client.js';

/** A client of an official SDK, connected to our server with pages of five. */
export interface SdkConnection {
  readonly name: string;
  open(): Promise<ConnectedSdkClient>;
  /** Runs when the client has closed. */
  stop?(): Promise<void>;
  /** What is agreed on. */
  readonly version: string;
}

export const newest = '2026-07-28';
/** True if the negotiated protocol version is this one or a later one. */
export const supportsVersion = (version: string, { version: agreed }: SdkConnection) => agreed >= version;
