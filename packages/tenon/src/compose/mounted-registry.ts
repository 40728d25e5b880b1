import type { CallerInfo } from '../handler/context.js';
import { type HasVisibility, Registry } from '../server/registry.js';

/** Entries of a mounted server, with the names by which clients know them. */
export interface RegistryPart<D extends HasVisibility> {
  readonly registry: Registry<D>;
  toPublicName(name: string): string;
  /** Returns `undefined` if the entry cannot be one of the mounted server. */
  toMountedName(publicName: string): string | undefined;
}

type Entries<D> = readonly (readonly [name: string, item: D])[];

/** The entries of a server, followed by those of the servers that are mounted in it. Only its own entries can be set. */
export class MountedRegistry<D extends HasVisibility> extends Registry<D> {
  readonly #own: Registry<D>;
  readonly #parts: readonly RegistryPart<D>[];
  /** Lists with public names, by the list of the mounted server. */
  readonly #renamed = new WeakMap<Entries<D>, Entries<D>>();

  constructor(own: Registry<D>, parts: readonly RegistryPart<D>[]) {
    super(
      undefined,
      () => {},
      () => {},
    );
    this.#own = own;
    this.#parts = parts;
  }

  /** The registry of the server, and those of the servers that are mounted in it. */
  get registries(): readonly Registry<D>[] {
    return [this.#own, ...this.#parts.map(({ registry }) => registry)];
  }

  override get version(): number {
    return this.registries.reduce((sum, { version }) => sum + version, 0);
  }

  override get size(): number {
    return this.registries.reduce((sum, { size }) => sum + size, 0);
  }

  override get isOffered(): boolean {
    return this.registries.some(({ isOffered }) => isOffered);
  }

  override get isShared(): boolean {
    return this.registries.every(({ isShared }) => isShared);
  }

  override set(name: string, item: D): void {
    this.#own.set(name, item);
  }

  override delete(name: string): boolean {
    return this.#own.delete(name);
  }

  override notifyChanged(): void {
    this.#own.notifyChanged();
  }

  override has(name: string): boolean {
    return this.#own.has(name) || this.#parts.some(part => part.registry.has(part.toMountedName(name) ?? ''));
  }

  override listNames(): string[] {
    return [
      ...this.#own.listNames(),
      ...this.#parts.flatMap(part => part.registry.listNames().map(name => part.toPublicName(name))),
    ];
  }

  override find(name: string, caller: CallerInfo): D | undefined {
    const own = this.#own.find(name, caller);
    if (own) return own;
    for (const part of this.#parts) {
      const mountedName = part.toMountedName(name);
      const found = mountedName === undefined ? undefined : part.registry.find(mountedName, caller);
      if (found) return found;
    }
    return undefined;
  }

  override listFor(caller: CallerInfo): [name: string, item: D][] {
    const mounted = this.#parts.flatMap(part =>
      part.registry.listFor(caller).map(([name, item]): [string, D] => [part.toPublicName(name), item]),
    );
    return [...this.#own.listFor(caller), ...mounted];
  }

  /** Returns those of mounted servers first, because a template of this server may match their URIs too. */
  override pick(
    matches: (name: string) => boolean,
    caller: CallerInfo,
    select: (entries: Entries<D>) => Entries<D> = entries => entries,
  ): Entries<D> {
    const mounted = this.#parts.flatMap(part => select(this.#rename(part, part.registry.pick(matches, caller))));
    return [...mounted, ...this.#own.pick(matches, caller, select)];
  }

  #rename(part: RegistryPart<D>, entries: Entries<D>): Entries<D> {
    const known = this.#renamed.get(entries);
    if (known) return known;
    const renamed = entries.map(([name, item]): readonly [string, D] => [part.toPublicName(name), item]);
    this.#renamed.set(entries, renamed);
    return renamed;
  }
}

/** Calls a function with the changed entries of each change. Returns a function that stops it. */
export function addListener(
  registry: Pick<Registry<HasVisibility>, 'listeners'>,
  listener: (items: readonly HasVisibility[]) => void,
): () => void {
  if (registry instanceof MountedRegistry) {
    const { registries }: MountedRegistry<HasVisibility> = registry;
    const stopListeners = registries.map(each => addListener(each, listener));
    return () => {
      for (const stop of stopListeners) stop();
    };
  }
  registry.listeners.add(listener);
  return () => void registry.listeners.delete(listener);
}
