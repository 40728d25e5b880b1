/** The parts of a browser's window that a page uses. */
export interface PageWindow {
  readonly parent: { postMessage(message: unknown, targetOrigin: string): void };
  readonly document: {
    readonly documentElement: {
      readonly scrollWidth: number;
      readonly style: { setProperty(name: string, value: string): void; colorScheme: string; height: string };
      getBoundingClientRect(): { readonly width: number; readonly height: number };
      setAttribute(name: string, value: string): void;
    };
    readonly head: { append(element: { textContent: string | null }): void };
    createElement(name: 'style'): { textContent: string | null };
  };
  addEventListener(type: 'message', listener: (event: WindowMessage) => void): void;
  removeEventListener(type: 'message', listener: (event: WindowMessage) => void): void;
  readonly ResizeObserver: new (
    callback: () => void,
  ) => { observe(element: PageWindow['document']['documentElement']): void; disconnect(): void };
}

/** A message that a window received. */
export interface WindowMessage {
  readonly data: unknown;
  readonly origin: string;
  readonly source: unknown;
}
