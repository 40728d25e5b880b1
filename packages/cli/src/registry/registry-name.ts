/** Name of a server in a registry, and a version of it or `latest`. */
export interface RegistryName {
  readonly name: string;
  readonly version: string;
}

const REGISTRY_NAME = /^([A-Za-z0-9][\w-]*(?:\.[\w-]+)+\/[\w.-]+)(?:@([\w.+-]+))?$/;

/** Parses `io.github.example/notes` or `io.github.example/notes@1.2.3`. */
export function parseRegistryName(text: string): RegistryName | undefined {
  const [, name, version = 'latest'] = REGISTRY_NAME.exec(text) ?? [];
  return name === undefined ? undefined : { name, version };
}
