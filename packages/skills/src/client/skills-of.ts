import {
  CursorTracker,
  checkArray,
  checkObject,
  checkString,
  decodeBase64,
  isObject,
  requireArgument,
  requireKnownOptions,
  toCanonicalJson,
} from '@tenon/base';
import { type Client, TenonError } from 'tenon';
import { computeDigest, decodeUtf8 } from '../format/file-content.js';
import { FrontmatterError, parseFrontmatter } from '../format/frontmatter.js';
import {
  createSkillError,
  getSkillFolder,
  leavesFolder,
  parseSkillEntry,
  type SkillEntry,
  type SkillFile,
  toFilePath,
} from '../format/skill-entry.js';
import { DIRECTORY_TYPE, MAX_SIZE, SKILL_FILE, SKILLS_EXTENSION } from '../format/skills-protocol.js';

/** Declares the skills extension to servers. Pass it to `connect`, in `extensions`. */
export const skillsExtension: { readonly id: string } = { id: SKILLS_EXTENSION };

/** The part of a client that skills use. */
export type SkillClient = Pick<Client, 'call' | 'server'>;

/** Options of a request about skills. */
export interface SkillCallOptions {
  /** Cancels the request. */
  readonly signal?: AbortSignal | undefined;
}

/** Skills of a server, and the entries that are not valid. The server may have skills that it does not list. */
export interface SkillList {
  /** Valid entries, in the order of the server. Of several with the same URI, the first. */
  readonly skills: readonly SkillEntry[];
  /** One sentence for each entry that is not valid, and one if the server lists more than 10,000. */
  readonly errors: readonly string[];
}

/** Verified content of a file. */
export interface SkillContent {
  /** URI of the file, as it was requested. */
  readonly uri: string;
  /** Whole content. If the server sent text, its UTF-8 bytes. */
  readonly bytes: Uint8Array;
  /** Text of the file. `undefined` if it is not UTF-8. */
  readonly text: string | undefined;
  /** False if the content of the skill is generated, so that it has no digest. */
  readonly verified: boolean;
}

/** A file of a skill as it was read, beside its entry. */
export interface SkillFileReport {
  /** URI of the file. */
  readonly uri: string;
  /** Digest and size that the entry lists. `undefined` if it lists none for this file. */
  readonly listed: Pick<SkillFile, 'digest' | 'size'> | undefined;
  /** Digest and size of the content. `undefined` if the server returned none, or if it was not requested. */
  readonly read: { readonly digest: string; readonly size: number } | undefined;
  /** Text of the file. `undefined` if there is none, or if it is not UTF-8. */
  readonly text: string | undefined;
  /** One sentence for each reason not to use the file. Empty if `read` returns it. */
  readonly issues: readonly string[];
}

/** A file or folder in a folder of skills. */
export interface SkillDirectoryEntry {
  /** URI of the file or folder, as the server wrote it. */
  readonly uri: string;
  /** True if its media type is `inode/directory`. */
  readonly isDirectory: boolean;
}

/** Skills of one server. */
export interface ServerSkills {
  /** True if the server declares the extension. */
  readonly isSupported: boolean;
  /** Lists the skills. Reads no file. */
  list(options?: SkillCallOptions): Promise<SkillList>;
  /** Gets the entry of a skill by the URI of its `SKILL.md`, also if the server does not list it. */
  get(uri: string, options?: SkillCallOptions): Promise<SkillEntry>;
  /**
   * Reads a file of a skill and compares its size and digest with the entry. The fields of `SKILL.md` must be those of
   * the entry.
   *
   * @param path Path of the file in the folder of the skill. Default `SKILL.md`.
   * @throws `skill/invalid` if the file differs from the entry, or the entry does not list it.
   */
  read(skill: SkillEntry, path?: string, options?: SkillCallOptions): Promise<SkillContent>;
  /**
   * Reads a file as `read` does, and reports each difference from the entry in place of the first as an error. For
   * people who inspect a server: the content of a file with issues must not be used.
   *
   * @param path Path of the file in the folder of the skill. Default `SKILL.md`.
   */
  examine(skill: SkillEntry, path?: string, options?: SkillCallOptions): Promise<SkillFileReport>;
  /**
   * Lists a folder of skills.
   * @throws `skill/unsupported` if the server does not offer it.
   */
  readDirectory(uri: string, options?: SkillCallOptions): Promise<readonly SkillDirectoryEntry[]>;
}

/** Number of paths that an error names. */
const SHOWN_PATHS = 10;
/** Maximum number of entries of all pages of a list. */
const MAX_ENTRIES = 10_000;

/**
 * Returns the skills of the server of a client.
 * @see https://github.com/modelcontextprotocol/ext-skills
 */
export function skillsOf(client: SkillClient): ServerSkills {
  return {
    get isSupported() {
      return getSettings(client) !== undefined;
    },
    async list(options = {}) {
      const errors: string[] = [];
      const entries = await listPages(client, 'skills/list', 'skills', {}, options, issue => {
        errors.push(`${issue}: the others are left out`);
      });
      const skills: SkillEntry[] = [];
      const uris = new Set<string>();
      for (const entry of entries) {
        try {
          const skill = parseSkillEntry(entry);
          if (uris.has(skill.uri)) throw createSkillError(skill.uri, 'it is listed twice');
          uris.add(skill.uri);
          skills.push(skill);
        } catch (error) {
          errors.push(TenonError.from(error).summary);
        }
      }
      return { skills, errors };
    },
    async get(uri, options = {}) {
      requireSupport(client);
      requireArgument('`uri` of skillsOf().get', uri, checkString);
      const { skill } = await client.call('skills/get', { uri }, requireOptions('skillsOf().get', options));
      const entry = parseSkillEntry(skill);
      if (entry.uri !== uri) throw createSkillError(uri, 'the server returned another skill');
      return entry;
    },
    read: async (skill, path = SKILL_FILE, options = {}) =>
      readFile(client, skill, path, requireFileOptions('skillsOf().read', skill, path, options)),
    examine: async (skill, path = SKILL_FILE, options = {}) =>
      examineFile(client, skill, path, requireFileOptions('skillsOf().examine', skill, path, options)),
    async readDirectory(uri, options = {}) {
      if (getSettings(client)?.directoryRead !== true)
        throw new TenonError('skill/unsupported', `${nameOf(client)}: the server does not list folders of skills`, {
          expected: '`directoryRead: true` in its settings',
          hint: 'use the files that the entry of the skill lists',
        });
      const entries = await listPages(client, 'resources/directory/read', 'resources', { uri }, options, issue => {
        throw createSkillError(uri, issue);
      });
      return entries.flatMap(entry =>
        isObject(entry) && typeof entry.uri === 'string'
          ? [{ uri: entry.uri, isDirectory: entry.mimeType === DIRECTORY_TYPE }]
          : [],
      );
    },
  };
}

function requireOptions(subject: string, options: SkillCallOptions): SkillCallOptions {
  requireKnownOptions(subject, options, { signal: true });
  return options;
}

function requireFileOptions(
  subject: string,
  skill: unknown,
  path: unknown,
  options: SkillCallOptions,
): SkillCallOptions {
  requireArgument(
    `\`skill\` of ${subject}`,
    skill,
    checkObject({ uri: checkString, 'files?': checkArray(checkObject()) }),
  );
  requireArgument(`\`path\` of ${subject}`, path, checkString);
  return requireOptions(subject, options);
}

const nameOf = ({ server }: SkillClient): string => server.info?.name ?? 'the server';

const getSettings = ({ server }: SkillClient) => server.capabilities.extensions?.[SKILLS_EXTENSION];

/** Throws if the server does not declare the extension, because its methods must not be sent then. */
function requireSupport(client: SkillClient): void {
  if (getSettings(client) !== undefined) return;
  throw new TenonError('skill/unsupported', `${nameOf(client)}: the server offers no skills`, {
    expected: `the extension ${SKILLS_EXTENSION}`,
    hint: 'see what the server offers with `tenon list`',
  });
}

async function listPages(
  client: SkillClient,
  method: string,
  key: string,
  params: { readonly uri?: string },
  options: SkillCallOptions,
  onLimit: (issue: string) => void,
): Promise<readonly unknown[]> {
  requireSupport(client);
  requireOptions(method, options);
  const entries: unknown[] = [];
  const cursors = new CursorTracker(method);
  let cursor: string | undefined;
  do {
    const page = await client.call(method, cursor === undefined ? { ...params } : { ...params, cursor }, options);
    // A long page has more entries than a call may have arguments.
    if (Array.isArray(page[key])) for (const entry of page[key]) entries.push(entry);
    cursor = cursors.next(page, nameOf(client));
    if (cursor !== undefined && entries.length >= MAX_ENTRIES) {
      onLimit(`${nameOf(client)}: ${method} has more than ${MAX_ENTRIES} entries`);
      break;
    }
  } while (cursor !== undefined);
  return entries;
}

async function readFile(
  client: SkillClient,
  skill: SkillEntry,
  path: string,
  options: SkillCallOptions,
): Promise<SkillContent> {
  const { uri, listed } = findFile(skill, path);
  const bytes = await loadBytes(client, uri, options);
  const [issue] = findIssues(skill, uri, listed, bytes);
  if (issue !== undefined) throw createSkillError(uri, issue);
  return { uri, bytes, text: decodeUtf8(bytes), verified: listed !== undefined };
}

async function examineFile(
  client: SkillClient,
  skill: SkillEntry,
  path: string,
  options: SkillCallOptions,
): Promise<SkillFileReport> {
  const { uri, listed } = locateFile(skill, path);
  const report = { uri, listed: listed && { digest: listed.digest, size: listed.size } };
  try {
    const bytes = await loadBytes(client, findFile(skill, path).uri, options);
    const read = { digest: computeDigest(bytes), size: bytes.length };
    return { ...report, read, text: decodeUtf8(bytes), issues: findIssues(skill, uri, listed, bytes) };
  } catch (thrown) {
    const error = TenonError.from(thrown);
    // Other errors are those of the connection, which say nothing about the file.
    if (error.code !== 'skill/invalid' && error.rpcCode === undefined) throw error;
    return { ...report, read: undefined, text: undefined, issues: [error.summary] };
  }
}

/** Returns the URI of a file. A path may also have the name of the file as its author writes it: `sales figures.csv`. */
function locateFile(
  skill: SkillEntry,
  given: string,
): { readonly uri: string; readonly listed: SkillFile | undefined } {
  const folder = getSkillFolder(skill);
  const path = toFilePath(given);
  const encoded = /\p{Surrogate}/u.test(path) ? path : path.split('/').map(encodeURIComponent).join('/');
  const listed =
    skill.files?.find(({ uri }) => uri === folder + path) ?? skill.files?.find(({ uri }) => uri === folder + encoded);
  return { uri: listed?.uri ?? folder + path, listed };
}

/** Finds a file in the entry of its skill. Throws for one that may not be read. */
function findFile(skill: SkillEntry, path: string): { readonly uri: string; readonly listed: SkillFile | undefined } {
  const { uri, listed } = locateFile(skill, path);
  const folder = getSkillFolder(skill);
  const createPathError = (summary: string) => {
    const paths = skill.files?.map(file => file.uri.slice(folder.length));
    const shown = paths?.slice(0, SHOWN_PATHS).join(', ');
    return new TenonError('skill/invalid', `${uri}: ${summary}`, {
      expected: paths && `one of ${shown}${paths.length > SHOWN_PATHS ? ', …' : ''}`,
      hint: 'pass the path of a file in the folder of the skill',
    });
  };
  if (leavesFolder(toFilePath(path))) throw createPathError('the path leads out of the folder of the skill');
  if (skill.files && !listed) throw createPathError('the skill does not list this file');
  return { uri, listed };
}

async function loadBytes(client: SkillClient, uri: string, options: SkillCallOptions): Promise<Uint8Array> {
  const { contents } = await client.call('resources/read', { uri }, options);
  const content = contents.find(each => each.uri === uri) ?? contents[0];
  if (content === undefined) throw createSkillError(uri, 'the server returned no content');
  return 'text' in content ? new TextEncoder().encode(content.text) : decodeBlob(uri, content.blob);
}

/** Lists the reasons not to use the content of a file. */
function findIssues(skill: SkillEntry, uri: string, listed: SkillFile | undefined, bytes: Uint8Array): string[] {
  if (bytes.length > MAX_SIZE) return ['the file is too large'];
  const issues: string[] = [];
  if (listed?.size !== undefined && bytes.length !== listed.size)
    issues.push(`the size is ${bytes.length}, and the skill lists ${listed.size}`);
  if (listed && computeDigest(bytes) !== listed.digest) issues.push('the content does not have the listed digest');
  const difference = uri === skill.uri ? findOtherFields(skill, decodeUtf8(bytes) ?? '') : undefined;
  return difference === undefined ? issues : [...issues, difference];
}

function decodeBlob(uri: string, blob: string): Uint8Array {
  try {
    return decodeBase64(blob);
  } catch {
    throw createSkillError(uri, 'the content is not valid base64');
  }
}

/** Returns the reason for which the fields of a `SKILL.md` are not those of the entry. */
function findOtherFields({ frontmatter }: SkillEntry, text: string): string | undefined {
  let fields: unknown;
  try {
    fields = parseFrontmatter(text).fields;
  } catch (error) {
    return error instanceof FrontmatterError ? error.message : 'the fields cannot be read';
  }
  return toCanonicalJson(fields) === toCanonicalJson(frontmatter)
    ? undefined
    : 'the fields of the file differ from those of the entry';
}
