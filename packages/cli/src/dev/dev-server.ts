import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { TenonError } from 'tenon';
import { type AttachedProcess, createReplaceableServer, type ReplaceableServer } from 'tenon/node';
import { createUsageError } from '../usage-error.js';
import { createModuleErrorReport, type ModuleErrorReport } from './format-module-error.js';
import { type ModuleExit, type ModuleProcess, startModule } from './module-process.js';
import { type FileWatch, watchFiles } from './watch-files.js';

/** Time after which a process that ends is started again, in milliseconds. One that ends earlier would end again. */
const MIN_UPTIME = 1000;
/** Time after which earlier restarts do not count, in milliseconds. */
const LONG_RUN = 30_000;
/** Maximum number of restarts of a process that ends again soon after each of them, until a file changes. */
const MAX_RESTARTS = 4;
const PACKAGE_FILES = ['package.json', 'deno.json', 'deno.jsonc'];

/** Event of `tenon dev`, as `--json` prints it. */
export type DevEvent =
  | { readonly event: 'listening'; readonly url: string; readonly sseUrl: string | undefined; readonly pid: number }
  | { readonly event: 'loaded'; readonly duration: number }
  | {
      readonly event: 'reloaded';
      /** Time from the start of the process until it served, in milliseconds. */
      readonly duration: number;
      /** Changed files, relative to the working directory. */
      readonly files: readonly string[];
      /** Lists that clients were notified of. */
      readonly lists: readonly string[];
    }
  /** The module does not load. `serving`: the former code still serves. */
  | ({ readonly event: 'failed'; readonly serving: boolean } & ModuleErrorReport)
  /** The process of the module ended by itself. `restarting`: it is started again. */
  | ({ readonly event: 'crashed'; readonly restarting: boolean } & ModuleErrorReport);

export interface DevOptions {
  /** Path of the module, with `#NAME` to choose an export. */
  readonly reference: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Other files and folders whose changes reload the module. */
  readonly watch: readonly string[];
  readonly drainTimeout: number | undefined;
  onEvent(event: Exclude<DevEvent, { event: 'listening' }>): void;
  /** Called instead of an event if the module has no server when it is loaded for the first time. */
  onUnusable(error: TenonError): void;
}

/** The process that serves. */
interface ActiveModule {
  readonly attached: AttachedProcess;
  readonly module: ModuleProcess;
  readonly startedAt: number;
}

/** A server of a module, which is loaded again in another process when its files change. */
export class DevServer {
  readonly server: ReplaceableServer;
  readonly #options: DevOptions;
  readonly #watch: FileWatch;
  #active: ActiveModule | undefined;
  #loading: ModuleProcess | undefined;
  #isClosed = false;
  #isFirstLoad = true;
  /** Restarts since the last change or long run. */
  #restarts = 0;

  constructor(options: DevOptions) {
    this.#options = options;
    this.server = createReplaceableServer({ drainTimeout: options.drainTimeout });
    this.#watch = watchFiles(files => {
      this.#restarts = 0;
      void this.#load(files.map(file => relative(options.folder, file)));
    });
  }

  start(): void {
    this.#updateWatch();
    void this.#load([]);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watch.close();
    this.#loading?.child.kill('SIGKILL');
    await this.server.close();
  }

  /** Loads the module in another process, and then uses that process. */
  async #load(changed: readonly string[]): Promise<void> {
    const { reference, folder, env } = this.#options;
    this.#loading?.child.kill('SIGKILL');
    const startedAt = performance.now();
    const module = startModule(reference, folder, { ...env, ...this.server.env });
    const attached = this.server.attach(module.child);
    this.#loading = module;
    const lists = await attached.activate().catch(() => undefined);
    const exit = lists === undefined ? await module.exited : undefined;
    // A later change has started another process.
    if (this.#loading !== module) return;
    this.#loading = undefined;
    const isFirstLoad = this.#isFirstLoad;
    this.#isFirstLoad = false;
    const usage = isFirstLoad ? exit?.error?.usage : undefined;
    if (usage) return this.#options.onUnusable(createUsageError(usage.summary, usage.hint));
    this.#updateWatch(module, lists !== undefined);
    if (lists === undefined) return this.#handleFailure(exit, changed);
    const isFirst = this.#active === undefined;
    this.#active = { attached, module, startedAt: performance.now() };
    void module.exited.then(end => this.#handleExit(module, end));
    const duration = Math.round(performance.now() - startedAt);
    if (isFirst) this.#options.onEvent({ event: 'loaded', duration });
    else this.#options.onEvent({ event: 'reloaded', duration, files: changed, lists });
  }

  async #handleFailure(exit: ModuleExit | undefined, changed: readonly string[]): Promise<void> {
    if (this.#isClosed) return;
    if (this.#active && exit?.error?.message.includes('EADDRINUSE')) {
      // The module listens on a port of its own, which the former process still holds.
      const { attached } = this.#active;
      this.#active = undefined;
      await attached.stop();
      return this.#load(changed);
    }
    const report = this.#createReport(exit, 'while it was loaded');
    this.#options.onEvent({ event: 'failed', serving: this.#active !== undefined, ...report });
    this.server.refuse(`The server does not load: ${report.message}`);
  }

  #handleExit(module: ModuleProcess, exit: ModuleExit): void {
    if (this.#isClosed || this.#active?.module !== module) return;
    const uptime = performance.now() - this.#active.startedAt;
    if (uptime >= LONG_RUN) this.#restarts = 0;
    this.#restarts += 1;
    const restarting = uptime >= MIN_UPTIME && this.#restarts <= MAX_RESTARTS;
    this.#active = undefined;
    const report = this.#createReport(exit, 'by itself');
    this.#options.onEvent({ event: 'crashed', restarting, ...report });
    if (restarting) void this.#load([]);
    else if (this.#loading === undefined) this.server.refuse(`The server ended: ${report.message}`);
  }

  #createReport(exit: ModuleExit | undefined, moment: string): ModuleErrorReport {
    if (exit?.error) return createModuleErrorReport(exit.error, this.#options.folder);
    const how = exit?.signal ? `was ended by ${exit.signal}` : `exited with ${exit?.code ?? 'an unknown code'}`;
    // `serveStdio` in the module exits at once, because the process has no standard input.
    const hint = exit?.code === 0 ? '. Export the server, and do not start it in the module' : '';
    return { message: `the process ${how} ${moment}${hint}` };
  }

  /**
   * Watches the files that the module imports. If they are not all known, because the module did not load or the runtime
   * does not tell them, it watches the whole folder too: a missing file may be created there.
   */
  #updateWatch(module?: ModuleProcess, hasLoaded = true): void {
    const { reference, watch } = this.#options;
    const entry = reference.replace(/#[\w$]+$/, '');
    const isUnknown = module?.files.size === 0 || !hasLoaded;
    const former = hasLoaded ? [] : (this.#active?.module.files ?? []);
    this.#watch.update({
      files: [entry, ...(module?.files ?? []), ...former, ...watch],
      wholeFolders: module?.folders,
      folders: [...watch, ...(isUnknown ? [findProjectFolder(dirname(entry))] : [])],
    });
  }
}

/** Returns the nearest folder with a package, or the folder itself. */
function findProjectFolder(folder: string): string {
  for (let each = folder; each !== dirname(each); each = dirname(each))
    if (PACKAGE_FILES.some(name => existsSync(join(each, name)))) return each;
  return folder;
}
