import { type AppServer, type AppView, type HostContext, showApp, type ViewOptions } from '@tenon/apps/host';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { AppRequestBody, OpenedApp } from '../api.js';
import { hello } from '../console-state.js';
import { callApi, describeFailure } from '../request.js';
import { createApiServer } from './api-server.js';
import { AppMessages } from './app-messages.js';

/** Origin of the frames that the policy of this document allows. The policy is that of its load. */
const ORIGIN_KEY = 'tenon-app-origin';
/** Maximum height of an app that chooses its height, in pixels. */
const MAX_HEIGHT = 3000;
/** Maximum length of a message of an app, in characters of JSON. */
const MAX_MESSAGE = 1_000_000;
/** Maximum number of messages of an app per second. */
const MAX_RATE = 200;
/** Maximum number of notes and of problems that are shown. */
const MAX_NOTES = 100;
/** Maximum length of a note, in characters. */
const MAX_NOTE = 2_000;

/** The response to `POST /api/apps`, as the host of apps takes it. */
interface AppToShow extends Omit<OpenedApp, 'tool' | 'call'> {
  readonly tool: ViewOptions['tool'];
  readonly call: {
    readonly arguments: Parameters<AppView['sendToolInput']>[0];
    readonly result: Parameters<AppView['sendToolResult']>[0] | null;
  } | null;
}

/** A link that the app asks to open. */
export interface LinkRequest {
  readonly url: string;
  decide(isAllowed: boolean): void;
}

/** State of a shown app. */
export interface AppState {
  readonly id: number | null;
  readonly state: 'opening' | 'shown' | 'closed';
  /** Reason why it is closed. */
  readonly reason: string;
  readonly problems: readonly string[];
  /** Log lines, messages for the conversation and context for the model. */
  readonly notes: readonly string[];
  /** Names of the permissions that the page requests. None is granted. */
  readonly permissions: readonly string[];
  readonly messages: number;
  readonly linkRequest: LinkRequest | null;
}

const OPENING: AppState = {
  id: null,
  state: 'opening',
  reason: '',
  problems: [],
  notes: [],
  permissions: [],
  messages: 0,
  linkRequest: null,
};

interface AppRequest {
  readonly server: string;
  readonly tool: string;
  readonly call: number | undefined;
  /** Members of the context that the user chooses. */
  readonly context: ChosenContext;
}

/** Context of an app that the user chooses. */
export type ChosenContext = Required<Pick<HostContext, 'theme' | 'locale' | 'safeAreaInsets'>>;

/** Shows the app of a tool in an element, and closes it with the component. */
export function useApp({ server, tool, call, context }: AppRequest): {
  readonly app: AppState;
  readonly container: { readonly current: HTMLDivElement | null };
  /** Shows the app anew. */
  reopen(): void;
} {
  const [app, setApp] = useState(OPENING);
  const [attempt, setAttempt] = useState(0);
  const container = useRef<HTMLDivElement>(null);
  const view = useRef<AppView | null>(null);
  const newest = useRef(context);
  newest.current = context;
  useEffect(() => {
    view.current?.changeContext(context);
  }, [context.theme, context.locale, context.safeAreaInsets]);
  useEffect(() => {
    const element = container.current;
    if (!element) return;
    const shown = new ShownView(element, change => setApp(change));
    setApp(OPENING);
    const body = { server, tool, origin: location.origin, ...(call === undefined ? {} : { call }) };
    void shown
      .open(body, () => newest.current)
      .then(opened => {
        view.current = opened ?? null;
      });
    return () => {
      view.current = null;
      shown.close();
    };
  }, [server, tool, call, attempt]);
  return { app, container, reopen: () => setAttempt(attempt + 1) };
}

/** One opening of an app. */
class ShownView {
  readonly #container: HTMLDivElement;
  readonly #onChange: (change: (before: AppState) => AppState) => void;
  #view: AppView | undefined;
  #id: number | undefined;
  #isClosed = false;
  #stopResize = () => {};

  constructor(container: HTMLDivElement, onChange: (change: (before: AppState) => AppState) => void) {
    this.#container = container;
    this.#onChange = onChange;
  }

  async open(body: AppRequestBody, getContext: () => ChosenContext): Promise<AppView | undefined> {
    try {
      const opened = await callApi<AppToShow>('POST', 'apps', body);
      this.#id = opened.id;
      if (this.#isClosed) return void (await this.#remove());
      if (await this.#loadsAgain(opened.sandboxUrl)) return undefined;
      const view = await this.#show(body.server, opened, getContext);
      if (this.#isClosed) return void (await view.close());
      this.#view = view;
      // The size and the chosen context may have changed while the page was read.
      view.changeContext({ ...getContext(), containerDimensions: this.#measure() });
      const observer = new ResizeObserver(() => view.changeContext({ containerDimensions: this.#measure() }));
      observer.observe(this.#container);
      this.#stopResize = () => observer.disconnect();
      if (opened.call) view.sendToolInput(opened.call.arguments);
      if (opened.call?.result) view.sendToolResult(opened.call.result);
      return view;
    } catch (thrown) {
      this.#change({ state: 'closed', reason: describeFailure(thrown).cause });
      await this.#remove();
      return undefined;
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#stopResize();
    if (this.#view) void this.#view.close().finally(() => this.#remove());
    else void this.#remove();
  }

  /** Loads the document again if its policy is from the time before the first app, and does not allow its origin. */
  async #loadsAgain(sandboxUrl: string): Promise<boolean> {
    const { origin } = new URL(sandboxUrl);
    const allowed = `${hello.value?.run ?? ''} ${origin}`;
    if (sessionStorage.getItem(ORIGIN_KEY) === allowed) return false;
    sessionStorage.setItem(ORIGIN_KEY, allowed);
    await this.#remove();
    location.reload();
    return true;
  }

  #show(server: string, { id, sandboxUrl, tool }: AppToShow, getContext: () => ChosenContext): Promise<AppView> {
    const messages = new AppMessages({
      send: sent => callApi('POST', `apps/${id}/messages`, sent),
      onFull: () => this.#end('the app sends messages faster than the console takes them'),
    });
    this.#change({ id });
    const context: HostContext = {
      ...getContext(),
      displayMode: 'inline',
      availableDisplayModes: ['inline'],
      containerDimensions: this.#measure(),
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      userAgent: 'tenon-console',
      platform: 'web',
    };
    const connection: AppServer = createApiServer(server, id, () => messages.flush());
    return showApp(connection, {
      container: this.#container,
      sandboxUrl,
      tool,
      host: { name: 'tenon-console', version: hello.value?.version ?? '' },
      context,
      grantPermissions: requested => {
        this.#change({ permissions: Object.keys(requested) });
        return {};
      },
      openLink: url => this.#ask(url),
      sendMessage: content => this.#note('message for the conversation', content),
      updateModelContext: update => this.#note('context for the model', update),
      log: (level, data) => this.#note(`log ${level}`, data),
      onMessage: traced => {
        messages.add(traced);
        this.#onChange(before => ({ ...before, messages: before.messages + 1 }));
      },
      onProblem: problem =>
        this.#onChange(before => ({ ...before, problems: [...before.problems, problem].slice(-MAX_NOTES) })),
      onTeardownRequest: () => void this.#view?.close('The app has asked to be removed'),
      onClose: reason => {
        this.#stopResize();
        void messages.flush();
        this.#change({ state: 'closed', reason, linkRequest: null });
      },
      limits: { maxMessageLength: MAX_MESSAGE, maxMessageRate: MAX_RATE },
    }).then(view => {
      view.ready.then(
        () => this.#change({ state: 'shown' }),
        () => {},
      );
      return view;
    });
  }

  /** Asks the user if a link may be opened. A second request is refused while the first one is open. */
  async #ask(url: URL): Promise<void> {
    const isAllowed = await new Promise<boolean>(resolve => {
      this.#onChange(before => {
        if (before.linkRequest) {
          resolve(false);
          return before;
        }
        const decide = (allowed: boolean) => {
          this.#change({ linkRequest: null });
          if (allowed) window.open(url.href, '_blank', 'noopener,noreferrer');
          resolve(allowed);
        };
        return { ...before, linkRequest: { url: url.href, decide } };
      });
    });
    if (!isAllowed) throw new Error('the user has refused the link');
  }

  #note(kind: string, value: unknown): void {
    const text = `${kind}: ${typeof value === 'string' ? value : JSON.stringify(value)}`.slice(0, MAX_NOTE);
    this.#onChange(before => ({ ...before, notes: [...before.notes, text].slice(-MAX_NOTES) }));
  }

  #end(reason: string): void {
    void this.#view?.close(reason);
  }

  #measure(): { readonly width: number; readonly maxHeight: number } {
    return { width: this.#container.clientWidth, maxHeight: MAX_HEIGHT };
  }

  #change(changes: Partial<AppState>): void {
    if (!this.#isClosed) this.#onChange(before => ({ ...before, ...changes }));
  }

  async #remove(): Promise<void> {
    if (this.#id === undefined) return;
    // The command ends the oldest apps itself.
    await callApi('DELETE', `apps/${this.#id}`).catch(() => {});
  }
}
