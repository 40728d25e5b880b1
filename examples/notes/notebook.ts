/** A notebook in memory: what the server is about. It knows nothing of the protocol. */

export interface Note {
  readonly title: string;
  readonly body: string;
  readonly tags: readonly string[];
  readonly written: Date;
}

export class Notebook {
  readonly #notes = new Map<string, Note>();
  readonly #onChange: (title: string, kind: 'added' | 'changed' | 'removed') => void;

  constructor(onChange: (title: string, kind: 'added' | 'changed' | 'removed') => void) {
    this.#onChange = onChange;
  }

  get(title: string): Note | undefined {
    return this.#notes.get(title);
  }

  all(): Note[] {
    return [...this.#notes.values()];
  }

  titles(): string[] {
    return [...this.#notes.keys()];
  }

  tags(): string[] {
    return [...new Set(this.all().flatMap(note => note.tags))].sort();
  }

  write(title: string, body: string, tags: readonly string[] = []): void {
    const kind = this.#notes.has(title) ? 'changed' : 'added';
    this.#notes.set(title, { title, body, tags, written: new Date() });
    this.#onChange(title, kind);
  }

  remove(title: string): boolean {
    const removed = this.#notes.delete(title);
    if (removed) this.#onChange(title, 'removed');
    return removed;
  }

  search(words: string): Note[] {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    const text = (note: Note) => `${note.title} ${note.body} ${note.tags.join(' ')}`.toLowerCase();
    return this.all().filter(note => wanted.every(word => text(note).includes(word)));
  }
}
