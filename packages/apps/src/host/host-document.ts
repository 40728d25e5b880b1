/** The parts of an `iframe` element that a host uses. */
export interface AppFrame {
  /** Window inside of the frame. Null while the frame is not in a document. */
  readonly contentWindow: { postMessage(message: unknown, targetOrigin: string): void } | null;
  /** Size and border. */
  readonly style: { width: string; height: string; border: string; display: string };
  /** URL of the document inside. */
  src: string;
  /** Sets an attribute. */
  setAttribute(name: string, value: string): void;
  /** Removes the frame from the document. */
  remove(): void;
}

/** A message that the window of a host received. */
export interface HostMessage {
  /** The message. */
  readonly data: unknown;
  /** Origin of the sender. */
  readonly origin: string;
  /** Window of the sender. */
  readonly source: unknown;
}

/** The parts of the window of a host that it uses. */
export interface HostWindow {
  /** Address of the host. */
  readonly location: { readonly origin: string };
  /** Adds a listener to messages. */
  addEventListener(type: 'message', listener: (event: HostMessage) => void): void;
  /** Removes a listener. */
  removeEventListener(type: 'message', listener: (event: HostMessage) => void): void;
}

/** The element in which a host shows an app: an `HTMLElement`. */
export interface AppContainer {
  /** Document of the host. */
  readonly ownerDocument: {
    readonly defaultView: HostWindow | null;
    createElement(name: 'iframe'): AppFrame;
  };
  /** Adds the frame of the sandbox. */
  append(frame: never): void;
}
