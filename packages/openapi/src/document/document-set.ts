import { decodePointerToken, isObject, parseUrl, toJsonObject } from '@tenon/base';
import { type JsonObject, TenonError } from 'tenon';
import { isSwagger } from './swagger.js';

/** Maximum number of references to references. */
const MAX_HOPS = 20;
/** Maximum number of documents that a document refers to. */
const MAX_DOCUMENTS = 5000;

/** Value with the location of its document, against which its references are resolved. */
export interface Located<T = unknown> {
  readonly value: T;
  /** URL of the document: `file:`, `https:` or `http:`. `document:` for one without a location. */
  readonly location: string;
}

/** Thrown for a reference that cannot be followed. The message is the reason. */
export class BrokenReferenceError extends Error {
  override readonly name = 'BrokenReferenceError';
}

/** Thrown for a reference to a document that is not loaded yet. Load it, and try again. */
export class MissingDocumentError extends Error {
  override readonly name = 'MissingDocumentError';
  readonly location: string;

  constructor(location: string) {
    super(`the document ${location} is not loaded`);
    this.location = location;
  }
}

/** A document of OpenAPI, and the documents that it refers to: files in its folder and below, or URLs of allowed origins. */
export class DocumentSet {
  readonly root: Located<JsonObject>;
  readonly #read: (location: string) => Promise<JsonObject>;
  readonly #documents = new Map<string, JsonObject | BrokenReferenceError>();

  readonly #origins: readonly string[];

  /**
   * @param read Reads a document. Rejects if it cannot.
   * @param origins Origins of documents, beside that of the root.
   */
  constructor(
    root: Located<JsonObject>,
    read: (location: string) => Promise<JsonObject>,
    origins: readonly string[] = [],
  ) {
    this.root = root;
    this.#read = read;
    this.#origins = origins;
    this.#documents.set(root.location, root.value);
  }

  /** Tells if the parameters, bodies and responses are those of Swagger 2.0. */
  get isSwagger(): boolean {
    return isSwagger(this.root.value);
  }

  /** Loads a document, so that references to it can be followed. A failure is the error of these references. */
  async load(location: string): Promise<void> {
    try {
      if (this.#documents.size >= MAX_DOCUMENTS) throw new Error(`more than ${MAX_DOCUMENTS} documents`);
      this.#documents.set(location, await this.#read(location));
    } catch (error) {
      // The next step of the error is for the document of the user.
      const reason = TenonError.from(error).summary;
      this.#documents.set(location, new BrokenReferenceError(reason));
    }
  }

  /**
   * Returns an object, after following its `$ref`. Any other value counts as an empty object.
   * @throws BrokenReferenceError, MissingDocumentError
   */
  follow({ value, location }: Located): Located<JsonObject> {
    let found: Located = { value, location };
    for (let hops = 0; isObject(found.value) && typeof found.value.$ref === 'string'; hops++) {
      if (hops > MAX_HOPS) throw new BrokenReferenceError(`$ref ${found.value.$ref}: refers to itself`);
      found = this.find(found.value.$ref, found.location);
    }
    return { value: toJsonObject(found.value), location: found.location };
  }

  /**
   * Finds the value of a reference.
   * @throws BrokenReferenceError, MissingDocumentError
   */
  find(reference: string, location: string): Located {
    const target = this.resolve(reference, location);
    const [place = '', pointer = ''] = splitReference(target);
    const document = this.#documents.get(place);
    if (document === undefined) throw new MissingDocumentError(place);
    if (document instanceof BrokenReferenceError)
      throw new BrokenReferenceError(`$ref ${reference}: ${document.message}`);
    let value: unknown = document;
    for (const part of pointer.split('/').slice(1)) {
      const key = decodePointerToken(part) ?? part;
      const parent: unknown = value;
      value = Array.isArray(parent)
        ? parent[Number(key)]
        : isObject(parent) && Object.hasOwn(parent, key)
          ? parent[key]
          : undefined;
    }
    if (value === undefined) throw new BrokenReferenceError(`$ref ${reference}: not found`);
    return { value, location: place };
  }

  /**
   * Returns a reference with the location of its document: `file:///folder/models.yml#/Pet`.
   * @throws BrokenReferenceError for a document elsewhere
   */
  resolve(reference: string, location: string): string {
    const [place = '', pointer = ''] = splitReference(reference);
    if (pointer !== '' && !pointer.startsWith('/'))
      throw new BrokenReferenceError(`$ref ${reference}: not a JSON pointer`);
    return `${place === '' ? location : this.#resolveLocation(place, location, reference)}#${pointer}`;
  }

  #resolveLocation(place: string, from: string, reference: string): string {
    const root = this.root.location;
    const url = parseUrl(place, from);
    if (url === undefined)
      throw new BrokenReferenceError(`$ref ${reference}: the location of the document is unknown, so pass \`base\``);
    url.hash = '';
    if (url.protocol === 'file:') {
      if (root.startsWith('file:') && url.href.startsWith(new URL('.', root).href)) return url.href;
      throw new BrokenReferenceError(`$ref ${reference}: a file outside of the folder of the document is not read`);
    }
    const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
    if (isWeb && (url.origin === new URL(root).origin || this.#origins.includes(url.origin))) return url.href;
    throw new BrokenReferenceError(`$ref ${reference}: a document of another origin is not read`);
  }
}

function splitReference(reference: string): readonly [place: string, pointer: string] {
  const at = reference.indexOf('#');
  return at < 0 ? [reference, ''] : [reference.slice(0, at), reference.slice(at + 1)];
}
