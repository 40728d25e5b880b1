import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CliContext } from '../cli-context.js';
import { createPlaceholderEnv, getPlaceholder } from '../host/placeholders.js';
import { readConfigSource } from '../host/read-configuration.js';
import { createUsageError } from '../usage-error.js';

/** Servers of a pasted configuration. */
export interface PastedConfig {
  /** Path of the file with the text. */
  readonly file: string;
  readonly names: readonly string[];
}

/** Beginnings of configurations, in JSON, TOML and YAML. */
const FORMATS: readonly (readonly [pattern: RegExp, extension: string])[] = [
  [/^(?:\s|\/\/.*|\/\*[\s\S]*?\*\/)*(?:\{|"[^"]*"\s*:)/, 'json'],
  [/^\s*\[[\w."-]+\]\s*$/m, 'toml'],
  [/^(?:mcpServers|extensions):\s*$/m, 'yaml'],
];

/** Returns the format of a text that is a configuration, or `undefined` for other texts. */
export const findConfigFormat = (text: string): string | undefined =>
  FORMATS.find(([pattern]) => pattern.test(text))?.[1];

/**
 * Configurations that the user pasted into the page. They are files that only the user of this machine can read, so that
 * they are read as all others, and removed when the console is closed.
 */
export class PastedConfigs {
  readonly #context: CliContext;
  readonly #folders: string[] = [];

  constructor(context: CliContext) {
    this.#context = context;
  }

  /**
   * Stores a configuration. A part of one is completed: the entry of a server, or servers by their names.
   *
   * @throws TenonError `cli/usage` if there is no server in it.
   */
  async add(text: string, format: string): Promise<PastedConfig> {
    const folder = await mkdtemp(join(tmpdir(), 'tenon-pasted-'));
    this.#folders.push(folder);
    const file = join(folder, `mcp.${format}`);
    let reason: string | undefined;
    for (const each of format === 'json' ? listCompletions(text) : [text]) {
      await writeFile(file, each, { mode: 0o600 });
      const source = { path: file, scope: 'project' } as const;
      const { entries, findings } = await readConfigSource(
        source,
        createPlaceholderEnv(this.#context.env),
        getPlaceholder,
      );
      const names = entries.flatMap(({ name, disabled }) => (disabled === true ? [] : [name]));
      if (names.length > 0) return { file, names };
      const [first] = findings.filter(({ level }) => level === 'error');
      reason ??= first?.error.summary.replace(`${file}:`, 'line ') ?? 'there is no server in it';
    }
    throw createUsageError(
      `the pasted configuration cannot be used: ${reason}`,
      'paste all of mcp.json, or one entry of it',
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.#folders.map(folder => rm(folder, { recursive: true, force: true })));
  }
}

/** Lists a text, and what it is a part of: one server, or servers by their names. */
const listCompletions = (text: string): readonly string[] =>
  /^\s*"/.test(text)
    ? [`{${text}}`, `{"mcpServers": {${text}}}`]
    : [text, `{"mcpServers": {"pasted": ${text}}}`, `{"mcpServers": ${text}}`];
